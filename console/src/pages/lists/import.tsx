import { Alert, Anchor, Button, Group, Paper, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { pathOf } from "#api/client.ts";
import type { Item } from "#api/operations.ts";
import { useAnswer, usePages, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { fieldLabel } from "#parts/contact-table/columns.ts";
import { ExcelHint } from "#parts/contact-table/excel-hint.tsx";
import { errorInWords, isScientific } from "#parts/contact-table/preview.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { IconDownload } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";
import { Time } from "#parts/show/time.tsx";
import { ImportBadge } from "./import-badge.tsx";
import styles from "./lists.module.css";

const BACK = { to: "/lists?view=imports", label: "Imports" };
type Import = Item<"GET /v1/contacts/imports">;
type RowError = Item<"GET /v1/contacts/imports/:import_id/errors">;

/** One import: how far it is, what became of its rows, and the way back. */
export function Component() {
  const { import_id = "" } = useParams();
  const params = { import_id };
  const answer = useAnswer("GET /v1/contacts/imports/:import_id", { params });
  const undo = useSend(
    "POST /v1/contacts/imports/:import_id/undo",
    ["GET /v1/contacts/imports", "GET /v1/contacts/imports/:import_id"],
    { isShown: true },
  );
  const mayWrite = useCan("write");
  const fileImport = answer.data?.import;
  if (fileImport === undefined) {
    return (
      <>
        <PageHeader title="Import" back={BACK} />
        {answer.error ? <ErrorState error={answer.error} retry={() => void answer.refetch()} /> : <Skeleton h={140} />}
      </>
    );
  }
  const isOver = fileImport.status === "completed" || fileImport.status === "failed";
  return (
    <>
      <PageHeader
        title={fileImport.file_name}
        back={BACK}
        badge={<ImportBadge state={fileImport.status} />}
        about={
          <>
            Started <Time at={fileImport.created_at} />
            {fileImport.finished_at && (
              <>
                , finished <Time at={fileImport.finished_at} />
              </>
            )}
          </>
        }
        actions={
          <>
            {isOver && <LinkButton to={`/lists/${encodeURIComponent(fileImport.list_id)}`}>Open the list</LinkButton>}
            {isOver && mayWrite && (
              <ConfirmButton
                title="Undo this import?"
                text={
                  <Stack gap="xs">
                    <Text>
                      Contacts that the import made are removed, and fields that it changed are as before. Its list is
                      deleted.
                    </Text>
                    <Text>
                      Contacts that somebody has changed since, or that are in a campaign, stay as they are. Opt-outs
                      and consents stay, too.
                    </Text>
                  </Stack>
                }
                confirm="Undo the import"
                onConfirm={() => undo.mutateAsync({ params })}
              >
                Undo
              </ConfirmButton>
            )}
            <CopyAsCurl operation="GET /v1/contacts/imports/:import_id" args={{ params }} />
          </>
        }
      />
      <Stack gap="xl">
        <Counts fileImport={fileImport} />
        {fileImport.failed > 0 && <Errors fileImport={fileImport} />}
        <Columns fileImport={fileImport} />
      </Stack>
    </>
  );
}

function Counts({ fileImport }: { fileImport: Import }) {
  const isOpen = fileImport.status === "waiting" || fileImport.status === "running";
  return (
    <Stack component="section" aria-label="Progress" gap="md">
      {isOpen && (
        <Paper p="md">
          <Group justify="space-between" mb="xs">
            <Text size="sm" role="status">
              {fileImport.status === "waiting" ? "It is about to start" : `${whole(fileImport.rows)} rows read`}
            </Text>
            <Text size="sm" c="dimmed">
              {Math.floor(fileImport.progress * 100)} % of the file
            </Text>
          </Group>
          <Progress.Root size="md">
            <Progress.Section value={fileImport.progress * 100} aria-label="Share of the file that has been read" />
          </Progress.Root>
          <Text size="xs" c="dimmed" mt="xs">
            It goes on when you leave this page.
          </Text>
        </Paper>
      )}
      {fileImport.error && (
        <Alert color="red" title="The import ended before the end of the file" role="alert">
          <Text size="sm">{errorInWords(fileImport.error, [])}. The rows before that are imported.</Text>
        </Alert>
      )}
      {fileImport.undo && (
        <Alert
          color="gray"
          title={fileImport.status === "undone" ? "This import was undone" : "This import is being undone"}
        >
          <Text size="sm">
            {whole(fileImport.undo.removed)} contacts removed, {whole(fileImport.undo.restored)} as before,{" "}
            {whole(fileImport.undo.kept)} left alone because they were changed or used since, or had nothing to bring
            back.
          </Text>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
        <StatTile label="New contacts" value={whole(fileImport.created)} />
        <StatTile label="Updated" value={whole(fileImport.updated)} note="Their number was known" />
        <StatTile label="Skipped" value={whole(fileImport.skipped)} note="The number came before in the file" />
        <StatTile
          label="Not taken"
          value={whole(fileImport.failed)}
          note={fileImport.failed > 0 ? "See below why" : undefined}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Who has opted out stays opted out: no import changes that.
      </Text>
    </Stack>
  );
}

/** The rows that could not be taken, each with its reason in words. */
function Errors({ fileImport }: { fileImport: Import }) {
  const params = { import_id: fileImport.import_id };
  const errors = usePages("GET /v1/contacts/imports/:import_id/errors", "errors", { params });
  const phoneAt = fileImport.columns.findIndex(({ field }) => field === "phone_number");
  const rounded = errors.rows.filter(({ cells }) => isScientific(cells[phoneAt] ?? "")).length;
  return (
    <Stack component="section" aria-label="Rows that were not taken" gap="sm">
      <Group justify="space-between">
        <Title order={2}>Rows that were not taken</Title>
        <Button
          component="a"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          href={pathOf("GET /v1/contacts/imports/:import_id/errors.csv", { params })}
          download
        >
          Download as CSV
        </Button>
      </Group>
      {rounded > 0 && <ExcelHint count={rounded} />}
      <Text size="sm" c="dimmed">
        Set them right in the downloaded file and import that: contacts that are there already are not doubled.
      </Text>
      <DataTable
        label="Rows that were not taken"
        list={errors}
        columns={columnsOf(phoneAt)}
        rowKey={({ row }) => String(row)}
        empty={<EmptyState title="Every row was taken" />}
      />
    </Stack>
  );
}

const columnsOf = (phoneAt: number): Column<RowError>[] => [
  { key: "row", title: "Row", width: "5rem", render: ({ row }) => whole(row) },
  {
    key: "reason",
    title: "Why",
    width: "1.6fr",
    render: ({ reason, cells }) => <span className={styles.wrap}>{errorInWords(reason, cells)}</span>,
  },
  { key: "phone", title: "Phone number", width: "10rem", render: ({ cells }) => cells[phoneAt] || "–" },
  {
    key: "cells",
    title: "The row",
    width: "2fr",
    isExtra: true,
    render: ({ cells }) => <span title={cells.join(" | ")}>{cells.filter((cell) => cell !== "").join(" | ")}</span>,
  },
];

/** How the file was read. */
function Columns({ fileImport }: { fileImport: Import }) {
  const kept = fileImport.columns.filter(({ field }) => field !== null);
  const left = fileImport.columns.filter(({ field, column }) => field === null && column !== "");
  return (
    <Stack component="section" aria-label="Columns" gap="xs">
      <Title order={2}>Columns</Title>
      <Text size="sm">{kept.map(({ column, field }) => `${column} → ${fieldLabel(field ?? "")}`).join(", ")}</Text>
      {left.length > 0 && (
        <Text size="sm" c="dimmed">
          Skipped: {left.map(({ column }) => column).join(", ")}
        </Text>
      )}
      <Text size="sm">
        <Anchor component={Link} to="/lists/import">
          Import another file
        </Anchor>
      </Text>
    </Stack>
  );
}
