import { Alert, Button, Group, Text } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import type { Preflight } from "#pages/sms-campaigns/preflight-view.tsx";
import { Time } from "#parts/show/time.tsx";

/** Where nobody may be texted at this hour: when it begins, and the simulator's clock to go there. */
export function OpensLater({ zones, moved }: { zones: Preflight["zones"]; moved: () => void }) {
  const mayMove = useCan("send", { tenantWide: true });
  const move = useSend("POST /v1/simulator/clock", ["GET /v1/simulator/clock"], { isShown: true });
  const opens = zones.flatMap(({ opens_at }) => opens_at ?? []).sort()[0];
  if (opens === undefined || zones.some(({ open_now }) => open_now > 0)) return null;
  return (
    <Alert color="yellow" mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          Nobody may be texted at this hour where they are. The texts leave <Time at={opens} />.
        </Text>
        {mayMove && (
          <Button
            size="xs"
            loading={move.isPending}
            onClick={() => move.mutate({ body: { to: opens } }, { onSuccess: moved })}
          >
            Skip to that time
          </Button>
        )}
      </Group>
      {move.error && (
        <Text size="sm" c="red" role="alert">
          {messageOf(move.error)}
        </Text>
      )}
    </Alert>
  );
}
