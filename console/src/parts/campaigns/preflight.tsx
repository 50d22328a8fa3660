import { Alert, Group, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ScrollBox } from "#parts/page/scroll-box.tsx";
import { whole } from "#parts/show/figures.tsx";
import { relative, Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";

/** What only a preflight says; other reasons are those of recipients. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_number: "No phone number that can be used",
  duplicate: "The same number more than once",
  missing_variable: "A field that the first text asks for is missing",
  too_long: "The first text would be too long",
  landlines: "Some recipients have landlines, which take no texts",
  unregistered_sender: "The sender is not registered for 10DLC: carriers would refuse its texts",
  first_hour: "The first hour of a new number",
  rate: "How fast it may go",
  calling_hours: "The hours that are allowed where they are",
  nobody_to_text: "Nobody would be texted.",
  nobody_to_call: "Nobody would be called.",
  organization_not_named:
    "The agent's first words do not say for whom it calls, as the law wants at the start of a call.",
  numbers_resting: "Some of the numbers rest: nobody is called from them until their rest is over.",
  all_numbers_resting: "All of the numbers rest: nobody is called before the first rest is over.",
  held_without_end: "Some would wait without an end in sight.",
  ends_before_it_is_done: "The campaign ends before everybody has been tried once.",
};
export const preflightWord = (code: string): string => WORDS[code] ?? reasonOf(code);

/** What to look at before anything else. */
export function Warnings({ codes, say = preflightWord }: { codes: readonly string[]; say?: (code: string) => string }) {
  if (codes.length === 0) return null;
  return (
    <Alert color="yellow" role="status">
      <Text size="sm" fw={600}>
        Warning
      </Text>
      {codes.map((code) => (
        <Text size="sm" key={code}>
          {say(code)}
        </Text>
      ))}
    </Alert>
  );
}

/** A part of a preflight under its name. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

/** Numbers of recipients by something, the most first. */
export function Counts({
  title,
  counts,
  nobody,
  name,
}: {
  title: string;
  counts: Readonly<Record<string, number>>;
  /** Said when there is none. */
  nobody: string;
  name: (code: string) => string;
}) {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Nothing>{nobody}</Nothing>
      ) : (
        rows.map(([code, count]) => (
          <Group key={code} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm">{name(code)}</Text>
            <Text size="sm" fw={550}>
              {whole(count)}
            </Text>
          </Group>
        ))
      )}
    </Section>
  );
}

type Zone = { time_zones: readonly string[]; recipients: number; open_now: number; opens_at: string | null };

/** Where recipients are, and when it may begin there. */
export function Zones({ zones }: { zones: readonly Zone[] }) {
  return (
    <Section title="Where they are">
      {zones.length === 0 ? (
        <Nothing>There is nobody.</Nothing>
      ) : (
        <ScrollBox label="Time zones" maxHeight={240}>
          <Table verticalSpacing={4} miw={420} aria-label="Time zones">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time zone</Table.Th>
                <Table.Th ta="right">Recipients</Table.Th>
                <Table.Th ta="right">Reachable at start</Table.Th>
                <Table.Th>Opens</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {zones.map((zone) => (
                <Table.Tr key={zone.time_zones.join()}>
                  <Table.Td>{zone.time_zones.map((name) => name.replaceAll("_", " ")).join(", ")}</Table.Td>
                  <Table.Td ta="right">{whole(zone.recipients)}</Table.Td>
                  <Table.Td ta="right">{whole(zone.open_now)}</Table.Td>
                  <Table.Td>{zone.open_now === zone.recipients ? "Open" : <Time at={zone.opens_at} />}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </Section>
  );
}

const AT_ONCE_MS = 60_000;

/** How long after the begin: a simulated clock may be far ahead of the viewer's. */
export function After({ from, to }: { from: string; to: string | null }) {
  if (to === null) return <>Never</>;
  const ms = new Date(to).getTime() - new Date(from).getTime();
  return (
    <span title={new Date(to).toLocaleString()}>
      {ms < AT_ONCE_MS ? "At once" : `${relative(ms).replace(/^in /, "")} in`}
    </span>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
