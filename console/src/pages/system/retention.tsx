import {
  Button,
  Group,
  List,
  Modal,
  NumberInput,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Answer } from "#api/operations.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";

type Kept = Answer<"GET /v1/retention">["retention"];

/** For how many days what the tenant has is kept. */
export function Retention() {
  const maySee = useCan("admin", { tenantWide: true });
  const { data, error, refetch } = useAnswer("GET /v1/retention", maySee ? {} : undefined);
  if (!maySee) return null;
  return (
    <Paper p="lg" component="section" aria-label="Retention">
      <Title order={2} mb={4}>
        Retention
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        After how many days each kind is removed, for good. Nothing of a campaign that is not over goes; consents,
        opt-outs and the figures of campaigns stay.
      </Text>
      {data ? (
        <Form kept={data.retention} key={JSON.stringify(data.retention)} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton h={140} />
      )}
    </Paper>
  );
}

const FIELDS = [
  ["messages_days", "Conversations by text"],
  ["calls_days", "Calls"],
  ["recordings_days", "Recordings"],
  ["events_days", "Events"],
  ["requests_days", "Request log"],
] as const;
type Field = (typeof FIELDS)[number][0];
type Values = Record<Field, string | number>;
type Asked = { lines: string[]; answer(isWanted: boolean): void };

/** What goes sooner by the new days than by those that hold. */
const soonerBy = (values: Values, kept: Record<Field, number | null>): string[] =>
  FIELDS.filter(
    ([field]) => values[field] !== "" && Number(values[field]) < (kept[field] ?? Number.POSITIVE_INFINITY),
  ).map(([field, label]) => `${label} older than ${values[field]} days`);

function Form({ kept }: { kept: Kept }) {
  const change = useSend("PUT /v1/retention", ["GET /v1/retention"], { isShown: true });
  const { limits, ...days } = kept;
  const [asked, setAsked] = useState<Asked>();
  const form = useForm<Values>({
    initialValues: Object.fromEntries(FIELDS.map(([field]) => [field, days[field] ?? ""])) as Values,
  });
  const isWanted = (lines: string[]) => new Promise<boolean>((answer) => setAsked({ lines, answer }));
  const answer = (is: boolean) => {
    asked?.answer(is);
    setAsked(undefined);
  };
  const empty: Record<Field, string> = {
    messages_days: "Kept",
    calls_days: "Kept",
    recordings_days: "As long as calls",
    events_days: `${limits.events_days}`,
    requests_days: `${limits.requests_days}`,
  };
  return (
    <>
      <Modal opened={asked !== undefined} onClose={() => answer(false)} title="Remove what is older?">
        <Stack>
          <Text>From now on, and for good, without a copy:</Text>
          <List>
            {asked?.lines.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => answer(false)}>
              Cancel
            </Button>
            <Button color="red" onClick={() => answer(true)}>
              Save and remove
            </Button>
          </Group>
        </Stack>
      </Modal>
      <ServerForm
        form={form}
        submit="Save"
        send={async (values) => {
          const sooner = soonerBy(values, days);
          if (sooner.length > 0 && !(await isWanted(sooner))) return;
          const given = (field: Field) => (values[field] === "" ? null : Number(values[field]));
          await change.mutateAsync({
            body: {
              messages_days: given("messages_days"),
              calls_days: given("calls_days"),
              recordings_days: given("recordings_days"),
              events_days: given("events_days"),
              requests_days: given("requests_days"),
            },
          });
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
          {FIELDS.map(([field, label]) => (
            <NumberInput
              key={field}
              label={label}
              suffix=" days"
              placeholder={empty[field]}
              hideControls
              allowNegative={false}
              allowDecimal={false}
              {...form.getInputProps(field)}
            />
          ))}
        </SimpleGrid>
      </ServerForm>
    </>
  );
}
