import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { ShownOnce } from "#parts/form/shown-once.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { realNow, Time } from "#parts/show/time.tsx";
import { DevelopersHead } from "./head.tsx";
import { powersOf } from "./key-words.ts";
import { type MadeKey, NewKey } from "./new-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

type ApiKey = Item<"GET /v1/api-keys">;

const MODES = { live: "Real phones", test: "Simulator" } as const;

const COLUMNS: readonly Column<ApiKey>[] = [
  { key: "name", title: "Name", width: "2fr", render: (apiKey) => apiKey.name },
  { key: "mode", title: "Reaches", width: "7rem", render: (apiKey) => MODES[apiKey.mode] },
  { key: "scopes", title: "May", width: "12rem", isExtra: true, render: (apiKey) => powersOf(apiKey.scopes) },
  { key: "state", title: "State", width: "8rem", render: (apiKey) => <KeyState apiKey={apiKey} /> },
  { key: "used", title: "Last used", width: "8rem", render: (apiKey) => <Time at={apiKey.last_used_at} isReal /> },
  {
    key: "made",
    title: "Made",
    width: "8rem",
    align: "right",
    isExtra: true,
    render: (apiKey) => <Time at={apiKey.created_at} isReal />,
  },
];

/** The tenant's keys for programs: made, replaced and revoked. A key itself is seen once. */
export function Component() {
  const isAdmin = useCan("admin");
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeKey>();
  const keys = usePages("GET /v1/api-keys", "api_keys", isAdmin ? {} : undefined);
  const make = isAdmin && <Button onClick={() => setMaking(true)}>New API key</Button>;
  return (
    <>
      <DevelopersHead title="API keys" about="What your programs sign their requests with" actions={make} />
      {isAdmin ? (
        <ListWithDetail
          label="API keys"
          list={keys}
          columns={COLUMNS}
          rowKey={({ key_id }) => key_id}
          param="key"
          empty={
            <EmptyState
              title="No API key yet"
              text="A program needs one to use what this console uses."
              action={make}
            />
          }
          title={({ name }) => name}
          detail={(apiKey) => <KeyDetail apiKey={apiKey} done={setMade} />}
        />
      ) : (
        <EmptyState title="For admins" text="API keys are made and revoked by admins. Ask one of yours." />
      )}
      <NewKey isOpen={isMaking} close={() => setMaking(false)} done={setMade} />
      <ShownOnce
        title={`The new key “${made?.name}”`}
        secret={made?.api_key}
        copy="Copy the key"
        close={() => setMade(undefined)}
      >
        <Alert color="yellow">Copy it now: it is shown this once.</Alert>
        {made?.oldWorksUntil && (
          <Text size="sm">
            The old key works until <Time at={made.oldWorksUntil} exact isReal />.
          </Text>
        )}
      </ShownOnce>
    </>
  );
}

/** The organizations that a key is limited to, by name. */
function LimitOf({ ids }: { ids: readonly string[] }) {
  const { organizations } = useSession();
  const names = new Map(organizations.map((organization) => [organization.unique_id, organization.organization_name]));
  return ids.map((id) => names.get(id) ?? id).join(", ");
}

function KeyDetail({ apiKey, done }: { apiKey: ApiKey; done: (made: MadeKey) => void }) {
  const params = { key_id: apiKey.key_id };
  const revoke = useSend("DELETE /v1/api-keys/:key_id", ["GET /v1/api-keys"], { isShown: true });
  const isOver =
    apiKey.revoked_at !== null || (apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= realNow());
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["State", <KeyState key="state" apiKey={apiKey} />],
          ["Id", apiKey.key_id],
          ["Reaches", MODES[apiKey.mode]],
          ["May", powersOf(apiKey.scopes)],
          apiKey.organization_ids !== null && ["Limited to", <LimitOf key="limit" ids={apiKey.organization_ids} />],
          ["May be used from", apiKey.allowed_addresses?.join(", ") ?? "Anywhere"],
          ["Made", <Time key="made" at={apiKey.created_at} exact isReal />],
          ["Last used", <Time key="used" at={apiKey.last_used_at} isReal />],
          [
            "Expires",
            apiKey.expires_at === null ? "Never" : <Time key="expires" at={apiKey.expires_at} exact isReal />,
          ],
        ]}
      />
      <Group gap="sm">
        {!isOver && (
          <>
            <RotateKey keyId={apiKey.key_id} done={done} />
            <ConfirmButton
              title="Revoke this key?"
              text="Programs that use it are refused at once. This cannot be taken back."
              confirm="Revoke"
              onConfirm={() => revoke.mutateAsync({ params })}
            >
              Revoke
            </ConfirmButton>
          </>
        )}
        <CopyAsCurl operation="POST /v1/api-keys/:key_id/rotate" args={{ params, body: {} }} />
      </Group>
    </Stack>
  );
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= realNow();
  const [label, tone] =
    apiKey.revoked_at !== null ? ["Revoked", "bad"] : isExpired ? ["Expired", "plain"] : ["Works", "good"];
  return (
    <Group gap={6} wrap="nowrap">
      <Badge className="parley-tone" data-tone={tone}>
        {label}
      </Badge>
      {label === "Works" && apiKey.expires_at !== null && (
        <Text span size="xs" c="dimmed">
          until <Time at={apiKey.expires_at} isReal />
        </Text>
      )}
    </Group>
  );
}
