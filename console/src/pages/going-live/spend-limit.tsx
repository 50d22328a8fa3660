import { NumberInput, Paper, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Answer } from "#api/operations.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";

type Sending = Answer<"GET /v1/sending">["sending"];

/** Those of the United States, which most will look for, then every other. */
const FIRST = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Anchorage",
  "Pacific/Honolulu",
];
const zonesWith = (zone: string): string[] => [
  ...new Set([...FIRST, zone, ...Intl.supportedValuesOf("timeZone"), "UTC"]),
];

/** What a day may cost, in texts and calls together. Beyond it campaigns wait; who writes to us is answered. */
export function SpendLimit() {
  const { data, error, refetch } = useAnswer("GET /v1/sending", {});
  return (
    <Paper p="lg" component="section" aria-label="Spend limit" id="spend-limit">
      <Title order={2} mb={4}>
        Spend limit
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        What texts and calls of one day may cost. Beyond it campaigns wait until the next day or a higher limit; answers
        go a tenth further, and confirmations always leave.
      </Text>
      {data ? (
        <Form key={`${data.sending.daily_spend_limit} ${data.sending.time_zone}`} sending={data.sending} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton h={140} />
      )}
    </Paper>
  );
}

function Form({ sending }: { sending: Sending }) {
  const { daily_spend_limit: limit, time_zone, spent_today, is_limit_reached } = sending;
  const mayChange = useCan("admin", { tenantWide: true });
  const change = useSend("PATCH /v1/sending", ["GET /v1/sending", "GET /v1/live-checks"], { isShown: true });
  const form = useForm<{ daily_spend_limit: string | number; time_zone: string }>({
    initialValues: { daily_spend_limit: limit === null ? "" : Number(limit), time_zone },
  });
  const spent = (
    <Text size="sm">
      Spent today: ${spent_today}
      {limit === null ? ", without a limit." : ` of $${limit}.`}
      {is_limit_reached && " The limit is reached: campaigns wait."}
    </Text>
  );
  if (!mayChange) return spent;
  return (
    <ServerForm
      form={form}
      submit="Save the limit"
      send={({ daily_spend_limit: given, time_zone }) =>
        change.mutateAsync({
          body: { daily_spend_limit: given === "" ? null : Number(given).toFixed(2), time_zone },
        })
      }
    >
      <Stack gap="md">
        {spent}
        <NumberInput
          label="US dollars a day"
          description="Leave it empty for no limit"
          prefix="$"
          hideControls
          allowNegative={false}
          decimalScale={2}
          max={9_999_999}
          {...form.getInputProps("daily_spend_limit")}
        />
        <Select
          label="Time zone"
          description="Whose midnight ends the day"
          searchable
          allowDeselect={false}
          data={zonesWith(time_zone)}
          {...form.getInputProps("time_zone")}
        />
      </Stack>
    </ServerForm>
  );
}
