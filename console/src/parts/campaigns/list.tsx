import { Group, Select, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useCan } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable, type Rows } from "#parts/show/data-table.tsx";

/** The page of all campaigns of one kind, newest first. */
export function CampaignList<Row extends { campaign_id: string }>({
  title,
  path,
  create,
  none,
  statuses,
  status,
  setStatus,
  list,
  columns,
}: {
  title: string;
  path: string;
  /** What the button of a new one says. */
  create: string;
  /** Said while there is none, with what leads to the first; the button of a new one where nothing else does. */
  none: { title: string; text: string; action?: ReactNode };
  statuses: readonly { value: string; label: string }[];
  status: string | undefined;
  setStatus: (status: string | null) => void;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
}) {
  const maySend = useCan("send");
  const button = maySend && <LinkButton to={`${path}/new`}>{create}</LinkButton>;
  return (
    <>
      <PageHeader title={title} actions={button} />
      <Stack gap="sm">
        <Group>
          <Select
            aria-label="Status"
            placeholder="Every status"
            clearable
            w={180}
            data={statuses}
            value={status ?? null}
            onChange={setStatus}
          />
        </Group>
        <DataTable
          label={title}
          list={list}
          columns={columns}
          rowKey={(campaign) => campaign.campaign_id}
          to={(campaign) => `${path}/${encodeURIComponent(campaign.campaign_id)}`}
          empty={
            status ? (
              <EmptyState title="No campaign has this status" />
            ) : (
              <EmptyState title={none.title} text={none.text} action={none.action ?? button} />
            )
          }
        />
      </Stack>
    </>
  );
}
