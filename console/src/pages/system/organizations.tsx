import { Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { refreshSession, useCan } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { SystemHead } from "./head.tsx";

type Organization = Item<"GET /v1/organizations">;

const stateOf = ({ archived_at }: Organization): string => (archived_at === null ? "Open" : "Archived");

const COLUMNS: readonly Column<Organization>[] = [
  { key: "name", title: "Name", width: "2fr", render: (organization) => organization.organization_name },
  { key: "state", title: "State", width: "7rem", render: stateOf },
  {
    key: "made",
    title: "Made",
    width: "8rem",
    align: "right",
    isExtra: true,
    render: (organization) => <Time at={organization.created_at} isReal />,
  },
];

/** The tenant's organizations, those that are archived among them. */
export function Component() {
  const organizations = usePages("GET /v1/organizations", "organizations", { query: { include_archived: true } });
  return (
    <>
      <SystemHead title="Organizations" about="Whose agents, contacts and campaigns there are" />
      <ListWithDetail
        label="Organizations"
        list={organizations}
        columns={COLUMNS}
        rowKey={({ unique_id }) => unique_id}
        param="organization"
        empty={<EmptyState title="No organization" text="The first is made when the console is set up." />}
        title={({ organization_name }) => organization_name}
        detail={(organization) => <OrganizationDetail key={organization.unique_id} organization={organization} />}
      />
    </>
  );
}

const ARCHIVE =
  "Its campaigns of texts and calls are paused, and nothing more goes out for it. What contacts write is kept for a person, and a STOP is obeyed; calls to its numbers are not taken. Everything of it can still be read.";
const RESTORE = "It can be used again. Its campaigns stay paused until somebody resumes them.";

function OrganizationDetail({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const isAdmin = useCan("admin");
  const params = { org_id: organization.unique_id };
  const stale = ["GET /v1/organizations", "GET /v1/campaigns", "GET /v1/voice/campaigns"] as const;
  const change = useSend("PATCH /v1/organizations/:org_id", stale, { isShown: true });
  const isArchived = organization.archived_at !== null;
  const verb = isArchived ? "Restore" : "Archive";
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["State", stateOf(organization)],
          ["Id", organization.unique_id],
          organization.contact_email !== null && ["E-mail", organization.contact_email],
          ["Made", <Time key="made" at={organization.created_at} exact isReal />],
          isArchived && ["Archived", <Time key="archived" at={organization.archived_at} exact isReal />],
        ]}
      />
      <Text size="sm">{isArchived ? RESTORE : ARCHIVE}</Text>
      <Group gap="sm">
        {isAdmin && (
          <ConfirmButton
            title={`${verb} ${organization.organization_name}?`}
            text={isArchived ? RESTORE : ARCHIVE}
            confirm={verb}
            {...(isArchived ? { color: "pine" } : {})}
            onConfirm={async () => {
              await change.mutateAsync({ params, body: { archived: !isArchived } });
              await refreshSession(client);
            }}
          >
            {verb}
          </ConfirmButton>
        )}
        <CopyAsCurl operation="PATCH /v1/organizations/:org_id" args={{ params, body: { archived: !isArchived } }} />
      </Group>
    </Stack>
  );
}
