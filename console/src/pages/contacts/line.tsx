import { Badge, Group, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Answer } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { Time } from "#parts/show/time.tsx";
import { LINE_TYPES } from "#parts/show/words.ts";

type Line = Answer<"GET /v1/contacts/leads/:lead_id">["line"];

/** What kind of line the contact's phone is, as a look-up has found; and one that the carrier's account pays for. */
export function LineOf({ line, phone }: { line: Line; phone: string }) {
  const { mode } = useSession();
  const mayLookUp = useCan("write", { tenantWide: true }) && mode === "live";
  const lookUp = useSend("POST /v1/number-lookups", ["GET /v1/contacts/leads/:lead_id"], { isShown: true });
  if (line === null && !mayLookUp) return null;
  return (
    <Paper component="section" aria-label="Line" p="md">
      <Group justify="space-between">
        {line ? (
          <div>
            <Badge className="parley-tone" data-tone={line.takes_texts ? "go" : "wait"} mr="sm">
              {LINE_TYPES[line.line_type]}
            </Badge>
            <Text span size="sm">
              {line.carrier_name ?? "Carrier not known"}, looked up <Time at={line.looked_up_at} />
              {!line.takes_texts && ". It takes no texts."}
            </Text>
          </div>
        ) : (
          <Text size="sm" c="dimmed">
            Its line has not been looked up.
          </Text>
        )}
        {mayLookUp && (
          <ConfirmButton
            title="Look up this line?"
            text="Your account with the carrier pays for the answer, also where it knows nothing of the number."
            confirm="Look it up"
            color="blue"
            onConfirm={async () => {
              const { amount, currency } = await lookUp.mutateAsync({ body: { phone_number: phone, max_age_days: 0 } });
              notifications.show({ message: `The line was looked up for about ${amount} ${currency}` });
            }}
          >
            {line ? "Look up again" : "Look up"}
          </ConfirmButton>
        )}
      </Group>
    </Paper>
  );
}
