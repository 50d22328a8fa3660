import { Paper, Skeleton, Stack, Table, Text, Title, UnstyledButton } from "@mantine/core";
import { ErrorState } from "#parts/page/error-state.tsx";
import { ScrollBox } from "#parts/page/scroll-box.tsx";
import { whole } from "#parts/show/figures.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { reasonOf } from "#parts/show/words.ts";

type Reason = { status: string; reason: string; recipients: number };

/** With these it is what came of the conversation, not why there was none. */
const COME_TO_AN_END = new Set(["completed", "replied"]);

/** Why recipients failed, were skipped or wait. Choosing one shows who they are. */
export function ReasonsCard({
  answer,
  of,
  choose,
}: {
  of: "recipient" | "callee";
  answer: { data?: { reasons: readonly Reason[] } | undefined; error: unknown; refetch: () => unknown };
  choose: (filter: { status: string; reason: string }) => void;
}) {
  const { data, error, refetch } = answer;
  const reasons = data?.reasons.filter(({ status }) => !COME_TO_AN_END.has(status)) ?? [];
  return (
    <Paper p="md" component="section" aria-label="Reasons">
      <Stack gap="sm">
        <Title order={2}>Skipped, failed and waiting</Title>
        {error && data === undefined ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton h={80} />
        ) : reasons.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nobody was skipped, failed or is waiting.
          </Text>
        ) : (
          <ScrollBox label="All reasons" maxHeight={260}>
            <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Reasons">
              <Table.Tbody>
                {reasons.map(({ status, reason, recipients }) => (
                  <Table.Tr key={`${status} ${reason}`}>
                    <Table.Td w="1%">
                      <StatusBadge of={of} state={status} miw="max-content" />
                    </Table.Td>
                    <Table.Td>
                      <UnstyledButton fz="sm" td="underline" onClick={() => choose({ status, reason })}>
                        {reasonOf(reason)}
                      </UnstyledButton>
                    </Table.Td>
                    <Table.Td ta="right" w="1%">
                      <Text span size="sm" fw={550}>
                        {whole(recipients)}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollBox>
        )}
      </Stack>
    </Paper>
  );
}

/** How a conversation ended, in small letters. Of a campaign `paused` is another thing. */
const endOf = (reason: string): string => (reason === "paused" ? "put off" : reasonOf(reason).toLowerCase());

/** What conversations came to, by the reason with which they were completed, for `Fields`. */
export function endsOf(reasons: readonly Reason[] = []): readonly [string, string] | undefined {
  const ends = reasons.filter(({ status }) => status === "completed");
  if (ends.length === 0) return undefined;
  return [
    "Contacts completed by",
    ends.map(({ reason, recipients }) => `${whole(recipients)} ${endOf(reason)}`).join(", "),
  ];
}
