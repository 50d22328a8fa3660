import { Alert, Badge, Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { Item } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { IconShieldCheck } from "#parts/icons/tabler.ts";
import { Fields } from "#parts/show/fields.tsx";
import { whole } from "#parts/show/figures.tsx";
import { JsonView } from "#parts/show/json-view.tsx";
import { Time } from "#parts/show/time.tsx";

export type Entry = Item<"GET /v1/audit">;

/** "createApiKey" as "Create API key"; a command is as it was typed. */
export function inWords(operation: string): string {
  if (operation.includes(" ")) return operation;
  const words = operation.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bapi\b/, "API");
  return words[0]!.toUpperCase() + words.slice(1);
}

/** "do_not_call" as "do not call". */
export const thing = (object: string): string => object.replaceAll("_", " ");

const WITHOUT_NAME: Readonly<Record<Entry["actor"], string>> = {
  person: "A user who was removed",
  key: "An API key",
  command: "The command line",
  system: "The service itself",
  unknown: "Not signed in",
};

export function whoOf({ actor, actor_name: name }: Entry): string {
  if (name === null) return WITHOUT_NAME[actor];
  return actor === "key" ? `API key “${name}”` : name;
}

export function Outcome({ of: { outcome } }: { of: Entry }) {
  return (
    <Badge className="parley-tone" data-tone={outcome === "done" ? "good" : "bad"}>
      {outcome === "done" ? "Done" : "Refused"}
    </Badge>
  );
}

/** All that an entry says. */
export function EntryDetail({ entry }: { entry: Entry }) {
  const { object, object_id, organization_id, address, user_agent, counts, reason, asked } = entry;
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["Who", whoOf(entry)],
          ["What", inWords(entry.operation)],
          object !== null && ["Object", object_id === null ? thing(object) : `${thing(object)} ${object_id}`],
          organization_id !== null && ["Organization", organization_id],
          ["Result", <Outcome key="result" of={entry} />],
          reason !== null && ["Reason", reason],
          counts !== null && [
            "How many",
            Object.entries(counts)
              .map(([name, n]) => `${whole(n)} ${thing(name)}`)
              .join(", "),
          ],
          ["When", <Time key="at" at={entry.at} isReal exact />],
          ["Mode", entry.mode === null ? "Both" : entry.mode === "live" ? "Live" : "Test"],
          address !== null && ["From", address],
          entry.actor !== "command" && user_agent !== null && ["Program", user_agent],
          entry.request_id !== null && ["Request id", entry.request_id],
          ["Link of the chain", entry.seq === null ? "Not linked yet" : String(entry.seq)],
        ]}
      />
      <Changes before={entry.before} after={entry.after} />
      {asked !== null && (
        <section aria-label="What was asked">
          <Title order={3} mb="xs">
            What was asked
          </Title>
          <JsonView value={asked} />
        </section>
      )}
    </Stack>
  );
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const shown = (value: unknown): string =>
  value === undefined || value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value, null, 1);

/** Field by field, what it was and what it is. */
function Changes({ before, after }: { before: unknown; after: unknown }) {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  if (names.length === 0) return null;
  return (
    <section aria-label="Before and after">
      <Title order={3} mb="xs">
        Before and after
      </Title>
      <Table layout="fixed" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((name) => (
            <Table.Tr key={name} style={{ verticalAlign: "top" }}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{thing(name)}</Table.Td>
              <Value of={was[name]} />
              <Value of={is[name]} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Value({ of: value }: { of: unknown }) {
  return (
    <Table.Td style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
      <Text span size="sm" lineClamp={12}>
        {shown(value)}
      </Text>
    </Table.Td>
  );
}

/** Has the whole log verified, and says what came of it. */
export function useVerification() {
  const [isWanted, setWanted] = useState(false);
  const found = useAnswer("GET /v1/audit/verify", isWanted ? {} : undefined);
  const verify = () => (isWanted ? void found.refetch() : setWanted(true));
  const button = (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={15} aria-hidden />}
      loading={isWanted && found.isFetching}
      onClick={verify}
    >
      Verify
    </Button>
  );
  const verification = found.data?.verification;
  const result = verification && (
    <Alert
      role="status"
      color={verification.whole ? "teal" : "red"}
      title={verification.whole ? "The log is whole" : `The log is wrong from link ${verification.fault?.seq} on`}
    >
      <Group gap="xs">
        <Text size="sm">
          {verification.whole
            ? `All ${whole(verification.links)} links are as they were written.`
            : `${verification.fault?.problem}.`}
        </Text>
        {verification.restores.map(({ at, first_lost_seq, last_lost_seq }) => (
          <Text size="sm" key={at}>
            A restore lost links {first_lost_seq} to {last_lost_seq} of before <Time at={at} isReal />.
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          Verified <Time at={verification.verified_at} isReal />. Keep the last hash elsewhere:{" "}
          <code style={{ overflowWrap: "anywhere" }}>{verification.head}</code>
        </Text>
      </Group>
    </Alert>
  );
  return { button, result };
}
