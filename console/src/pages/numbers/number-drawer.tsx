import { Anchor, Button, Group, Select, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import type { Item } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { NumberCharts } from "#parts/chart/campaign-charts.tsx";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { DetailDrawer } from "#parts/page/detail-drawer.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { percent, whole } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";
import { Time, useNow } from "#parts/show/time.tsx";
import { HEALTH_DAYS, type Health, HealthBadge, judge } from "./health.tsx";
import type { OwnNumber } from "./numbers.tsx";

const STALE = ["GET /v1/voice/phone-numbers"] as const;
type Agent = Item<"GET /v1/agents">;

/** One number: how it fares, who answers it, and giving it back. */
export function NumberDrawer({
  number,
  month: health,
  agents,
  close,
}: {
  number: OwnNumber | undefined;
  month: Health | undefined;
  agents: readonly Agent[];
  close: () => void;
}) {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const release = useSend("DELETE /v1/voice/phone-numbers/:phone_number", STALE, { isShown: true });
  const phone = number?.phone_number ?? "";
  return (
    <DetailDrawer title={formatPhone(phone)} isOpen={number !== undefined} close={close}>
      {number && (
        <Stack gap="lg">
          <section aria-label="Health">
            <Group gap="sm" mb="xs">
              <Title order={3}>Health</Title>
              <HealthBadge health={health} rest={number.health} />
            </Group>
            <Text size="sm" c="dimmed" mb="sm">
              {judge(health, number.health).meaning}
            </Text>
            <Rest number={number} />
            {health && (
              <>
                <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" mb="sm">
                  <StatTile label="Answered" value={percent(health.connected, health.placed)} />
                  <StatTile label="Voicemail" value={percent(health.voicemail, health.calls)} />
                  <StatTile label="Failed" value={percent(health.failed, health.calls)} />
                </SimpleGrid>
                <Fields
                  items={[
                    [`Calls from it, ${HEALTH_DAYS} days`, whole(health.calls)],
                    ["Nobody took the call", whole(health.not_reached)],
                    ["Blocked as spam", whole(health.marked_as_spam)],
                    ["Calls to it", whole(health.inbound)],
                    ["Last used", <Time key="used" at={health.last_call_at} />],
                  ]}
                />
              </>
            )}
            <Anchor component={Link} to={`/calls?own_number=${encodeURIComponent(phone)}`} size="sm">
              All calls from and to it
            </Anchor>
          </section>
          <NumberCharts number={phone} />
          <section aria-label="Who answers">
            <Title order={3} mb="xs">
              Who answers
            </Title>
            <LinkAgent number={number} agents={agents} />
          </section>
          <Fields
            items={[
              ["Area code", number.area_code],
              ["Can", abilities(number.capabilities)],
              ...(number.carrier_name === null ? [] : [["Carrier account", number.carrier_name] as const]),
              ["May call from it", number.organization_id === null ? "All organizations" : "This organization"],
              ["Yours since", <Time key="since" at={number.created_at} isReal />],
            ]}
          />
          <Group gap="sm">
            <CopyAsCurl operation="GET /v1/voice/phone-numbers" args={{ query: { organization_id } }} />
            {mayWrite && (
              <ConfirmButton
                title={`Give ${formatPhone(phone)} back?`}
                text="Nobody can be called from it any more, and who calls it reaches nobody of yours. Somebody else may get it. Calls that were made from it stay in the list."
                confirm="Give it back"
                onConfirm={async () => {
                  await release.mutateAsync({ params: { phone_number: phone } });
                  close();
                }}
              >
                Give it back
              </ConfirmButton>
            )}
          </Group>
        </Stack>
      )}
    </DetailDrawer>
  );
}

const DAY_MS = 86_400_000;

/** Until when it rests, and what begins or ends a rest. */
function Rest({ number: { phone_number, health } }: { number: OwnNumber }) {
  const mayWrite = useCan("write");
  const now = useNow();
  const rest = useSend("PATCH /v1/voice/phone-numbers/:phone_number", STALE);
  const send = (resting_until: string | null) => rest.mutate({ params: { phone_number }, body: { resting_until } });
  return (
    <Stack gap="xs" mb="sm">
      {health.resting_until && (
        <Text size="sm">
          It rests until <Time at={health.resting_until} exact />.
        </Text>
      )}
      {mayWrite && (
        <Group gap="sm">
          {health.resting_until ? (
            <Button size="xs" variant="default" loading={rest.isPending} onClick={() => send(null)}>
              End its rest
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              loading={rest.isPending}
              onClick={() => send(new Date(now + DAY_MS).toISOString())}
            >
              Have it rest for a day
            </Button>
          )}
        </Group>
      )}
      {rest.error && (
        <Text size="sm" c="red" role="alert">
          {messageOf(rest.error)}
        </Text>
      )}
    </Stack>
  );
}

function abilities({ sms, mms, voice }: OwnNumber["capabilities"]): string {
  const all = [sms && "texts", mms && "pictures", voice && "calls"].filter((word) => word !== false);
  return all.length === 0 ? "Nothing" : all.join(", ").replace(/^./, (first) => first.toUpperCase());
}

function LinkAgent({ number, agents }: { number: OwnNumber; agents: readonly Agent[] }) {
  const mayWrite = useCan("write");
  const link = useSend("POST /v1/voice/phone-numbers/:phone_number/update-agent", STALE);
  const [chosen, setChosen] = useState(number.agent_id);
  if (agents.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is no voice agent yet that could answer.{" "}
        <Anchor component={Link} to="/agents" size="sm">
          Agents
        </Anchor>
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <Select
          flex="1 1 12rem"
          label="Voice agent"
          placeholder="Nobody answers"
          searchable
          allowDeselect={false}
          disabled={!mayWrite}
          data={agents.map(({ agent_id, agent_name }) => ({ value: agent_id, label: agent_name }))}
          value={chosen}
          onChange={setChosen}
          error={link.error ? messageOf(link.error) : undefined}
        />
        {mayWrite && (
          <Button
            loading={link.isPending}
            disabled={chosen === null || chosen === number.agent_id}
            onClick={() =>
              chosen !== null &&
              link.mutate({ params: { phone_number: number.phone_number }, body: { agent_id: chosen } })
            }
          >
            Let it answer
          </Button>
        )}
      </Group>
      <Text size="sm" role="status">
        {link.isSuccess && chosen === number.agent_id ? "It answers calls to this number now." : ""}
      </Text>
    </Stack>
  );
}
