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
import { Time } from "#parts/show/time.tsx";
import { DevelopersHead } from "./head.tsx";
import { type MadeKey, NewKey } from "./new-key.tsx";

type ApiKey = Item<"GET /v1/api-keys">;

const MODES = { live: "Real phones", test: "Simulator" } as const;

const COLUMNS: readonly Column<ApiKey>[] = [
  { key: "name", title: "Name", width: "2fr", render: (it) => it.name },
  { key: "mode", title: "Reaches", width: "7rem", render: (it) => MODES[it.mode] },
  { key: "scopes", title: "May", width: "12rem", isExtra: true, render: (it) => it.scopes.join(", ") },
  { key: "state", title: "State", width: "8rem", render: (it) => <KeyState it={it} /> },
  { key: "used", title: "Last used", width: "8rem", render: (it) => <Time at={it.last_used_at} /> },
  {
    key: "made",
    title: "Made",
    width: "8rem",
    align: "right",
    isExtra: true,
    render: (it) => <Time at={it.created_at} />,
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
          detail={(it) => <KeyDetail it={it} done={setMade} />}
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
      </ShownOnce>
    </>
  );
}

/** The organizations that a key is limited to, by name. */
function LimitOf({ ids }: { ids: readonly string[] }) {
  const { organizations } = useSession();
  const names = new Map(organizations.map((it) => [it.unique_id, it.organization_name]));
  return ids.map((id) => names.get(id) ?? id).join(", ");
}

function KeyDetail({ it, done }: { it: ApiKey; done: (made: MadeKey) => void }) {
  const params = { key_id: it.key_id };
  const rotate = useSend("POST /v1/api-keys/:key_id/rotate", ["GET /v1/api-keys"], { isShown: true });
  const revoke = useSend("DELETE /v1/api-keys/:key_id", ["GET /v1/api-keys"], { isShown: true });
  const isOver = it.revoked_at !== null || (it.expires_at !== null && Date.parse(it.expires_at) <= Date.now());
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["State", <KeyState key="state" it={it} />],
          ["Id", it.key_id],
          ["Reaches", MODES[it.mode]],
          ["May", it.scopes.join(", ")],
          it.organization_ids !== null && ["Limited to", <LimitOf key="limit" ids={it.organization_ids} />],
          ["Made", <Time key="made" at={it.created_at} exact />],
          ["Last used", <Time key="used" at={it.last_used_at} />],
          ["Expires", it.expires_at === null ? "Never" : <Time key="expires" at={it.expires_at} exact />],
        ]}
      />
      <Group gap="sm">
        {!isOver && (
          <>
            <ConfirmButton
              title="Replace this key?"
              text="You get a new key with the same powers. The old one works for another 24 hours, so that you can change your programs."
              confirm="Make the new key"
              color="pine"
              onConfirm={async () => done(await rotate.mutateAsync({ params, body: {} }))}
            >
              Rotate
            </ConfirmButton>
            <ConfirmButton
              title="Revoke this key?"
              text="Programs that use it are refused within a second. This cannot be taken back."
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

function KeyState({ it }: { it: ApiKey }) {
  const isExpired = it.expires_at !== null && Date.parse(it.expires_at) <= Date.now();
  const [label, tone] =
    it.revoked_at !== null ? ["Revoked", "bad"] : isExpired ? ["Expired", "plain"] : ["Works", "good"];
  return (
    <Group gap={6} wrap="nowrap">
      <Badge className="parley-tone" data-tone={tone}>
        {label}
      </Badge>
      {label === "Works" && it.expires_at !== null && (
        <Text span size="xs" c="dimmed">
          until <Time at={it.expires_at} isReal />
        </Text>
      )}
    </Group>
  );
}
