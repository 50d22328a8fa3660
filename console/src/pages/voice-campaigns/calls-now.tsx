import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { usePages, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ScrollBox } from "#parts/page/scroll-box.tsx";
import { whole } from "#parts/show/figures.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import type { CallRow } from "./lists.tsx";

const STALE = ["GET /v1/voice/campaigns/:campaign_id/calls", "GET /v1/voice/campaigns/:campaign_id"] as const;

/** Who is on the phone at this moment: those that go on are among the newest. */
export function CallsNow({ campaignId, inProgress }: { campaignId: string; inProgress: number }) {
  const calls = usePages("GET /v1/voice/campaigns/:campaign_id/calls", "calls", {
    params: { campaign_id: campaignId },
  });
  const maySend = useCan("send");
  const stop = useSend("POST /v1/voice/calls/:call_id/stop", STALE);
  const now = calls.rows.filter(({ call_status }) => call_status === "registered" || call_status === "ongoing");
  if (inProgress === 0 && now.length === 0) return null;
  return (
    <Paper p="md" component="section" aria-label="On the phone now">
      <Stack gap="sm">
        <Title order={2}>
          {whole(inProgress)} on the phone now
          {inProgress > now.length && now.length > 0 ? `, the newest ${now.length}` : ""}
        </Title>
        <ScrollBox label="Calls in progress" maxHeight={220}>
          <Stack gap={6}>
            {now.map((call) => (
              <Group key={call.call_id} gap="md" wrap="nowrap" justify="space-between" data-line>
                <Group gap="sm" miw={0}>
                  <StatusBadge of="call" state={call.call_status} miw="max-content" />
                  <Link to={`/calls/${encodeURIComponent(call.call_id)}`} className="parley-table-link">
                    {nameOf(call)}
                  </Link>
                  {call.contact_name !== null && (
                    <Text size="sm" c="dimmed">
                      <PhoneNumber number={call.to_number} />
                    </Text>
                  )}
                  <Text size="sm" c="dimmed">
                    <Time at={call.start_timestamp} />
                  </Text>
                </Group>
                {maySend && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Hang up on ${nameOf(call)}`}
                    onClick={() => stop.mutate({ params: { call_id: call.call_id } })}
                  >
                    Hang up
                  </Button>
                )}
              </Group>
            ))}
          </Stack>
        </ScrollBox>
      </Stack>
    </Paper>
  );
}

const nameOf = (call: CallRow): string => call.contact_name ?? formatPhone(call.to_number);
