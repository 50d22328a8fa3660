import { Alert, Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { sendFile } from "#api/client.ts";
import { fieldErrors, messageOf } from "#api/error.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { guessFields } from "#parts/contact-table/columns.ts";
import { PreviewCard } from "#parts/contact-table/preview-card.tsx";
import { type Format, readTable, type Table } from "#parts/contact-table/read-table.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useOwnerId } from "#parts/form/owner.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { LeaveGuard } from "#parts/page/leave-guard.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { ColumnsCard } from "./columns-card.tsx";
import { LookUpChoice } from "./line-lookups.tsx";
import { Source } from "./source.tsx";

type Draft = {
  file: File;
  chosen: Partial<Format>;
  table: Table;
  fields: (string | null)[];
  name: string;
  looksUp: boolean;
};

/** A file or pasted contacts: which column is what, what will come of it, and the start. */
export function Component() {
  const mayWrite = useCan("write");
  const { organization_id } = useOrganization();
  const userId = useOwnerId();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>();
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string>();

  const forget = () => {
    setErrors({});
    setFailure(undefined);
  };
  const read = async (file: File, chosen: Partial<Format>, name: string) => {
    forget();
    try {
      const table = await readTable(file, chosen);
      if (table.header.every((cell) => cell === "")) return setFailure("This file is empty.");
      setDraft({ file, chosen, table, fields: guessFields(table.header, table.rows), name, looksUp: false });
    } catch (error) {
      setFailure(`This file could not be read: ${messageOf(error)}`);
    }
  };
  const start = async ({ file, chosen, table, fields, name, looksUp }: Draft) => {
    if (userId === undefined) return;
    setBusy(true);
    forget();
    const mapping = Object.fromEntries(table.header.flatMap((column, i) => (fields[i] ? [[column, fields[i]]] : [])));
    try {
      const { import: fileImport } = await sendFile("POST /v1/contacts/imports", file, {
        organization_id,
        user_id: userId,
        ...(name.trim() === "" ? {} : { list_name: name.trim() }),
        mapping: JSON.stringify(mapping),
        ...(looksUp ? { look_up_lines: "true" as const } : {}),
        ...chosen,
      });
      await client.invalidateQueries({ queryKey: ["GET /v1/contacts/imports"] });
      void navigate(`/lists/imports/${encodeURIComponent(fileImport.import_id)}`);
    } catch (error) {
      const said = fieldErrors(error);
      setErrors(said);
      // What is about no column or field that is shown.
      if (!Object.keys(said).some((field) => /^(list_name|delimiter|encoding|mapping\.)/.test(field))) {
        setFailure(messageOf(error));
      }
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <PageHeader
        title="Import contacts"
        back={{ to: "/lists", label: "Lists" }}
        about="Nobody is texted or called by an import. Who has opted out stays opted out, whatever the file says."
      />
      {!mayWrite ? (
        <EmptyState
          title="You may not import contacts"
          text="Ask an admin of your organization for the permission to change things."
          action={<LinkButton to="/lists">Back to the lists</LinkButton>}
        />
      ) : (
        <Stack gap="lg">
          {failure && (
            <Alert color="red" role="alert" maw={880}>
              {failure}
            </Alert>
          )}
          {draft === undefined ? (
            <Source take={(file) => void read(file, {}, file.name.replace(/\.\w+$/, ""))} />
          ) : (
            <>
              <Paper p={{ base: "md", xs: "xl" }}>
                <Group justify="space-between" align="flex-end">
                  <TextInput
                    label="Name of the list"
                    description="The contacts of the file are on it afterwards."
                    flex="1 1 16rem"
                    maw={460}
                    maxLength={200}
                    value={draft.name}
                    onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
                    error={errors.list_name}
                  />
                  <Group gap="sm">
                    <Text size="sm" c="dimmed">
                      {draft.file.name}, {sizeOf(draft.file.size)}
                    </Text>
                    <Button variant="default" onClick={() => setDraft(undefined)}>
                      Another file
                    </Button>
                  </Group>
                </Group>
              </Paper>
              <ColumnsCard
                table={draft.table}
                fields={draft.fields}
                errors={errors}
                onFields={(fields) => setDraft({ ...draft, fields })}
                onFormat={(format) => void read(draft.file, { ...draft.chosen, ...format }, draft.name)}
              />
              <PreviewCard table={draft.table} fields={draft.fields} />
              <LookUpChoice
                is={draft.looksUp}
                set={(looksUp) => setDraft({ ...draft, looksUp })}
                rows={draft.table.isWhole ? draft.table.rows.length : undefined}
              />
              <Group>
                <Button
                  loading={isBusy}
                  disabled={!draft.fields.includes("phone_number") || userId === undefined}
                  onClick={() => void start(draft)}
                >
                  Start the import
                </Button>
                <Text size="sm" c="dimmed">
                  It can be undone afterwards.
                </Text>
              </Group>
            </>
          )}
        </Stack>
      )}
      <LeaveGuard
        when={draft !== undefined && !isBusy}
        text="The import has not been started. The file has to be chosen again."
      />
    </>
  );
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
