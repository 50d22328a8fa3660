import {
  Alert,
  Anchor,
  Badge,
  Button,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  type TextProps,
  Title,
} from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { IconAlertTriangle, IconCheck } from "#parts/icons/tabler.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { OnlyLive } from "#parts/page/only-live.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { SpendLimit } from "./spend-limit.tsx";
import { type LiveCheck, summaryOf, wordsOf } from "./words.ts";

const CHECKS = "GET /v1/live-checks";

/** What has to be right before real phones are reached, with what to do and where; and what a day may cost. */
export function Component() {
  const { mode } = useSession();
  const maySee = useCan("read", { tenantWide: true });
  const isShown = mode === "live" && maySee;
  const answer = useAnswer(CHECKS, isShown ? { query: {} } : undefined, { isAskedAnew: true });
  return (
    <>
      <PageHeader
        title="Going live"
        about="What has to be right before real phones are reached, and what keeps a mistake small."
        actions={
          isShown && (
            <>
              <CopyAsCurl operation={CHECKS} args={{ query: {} }} />
              <Button variant="default" loading={answer.isFetching} onClick={() => void answer.refetch()}>
                Check again
              </Button>
            </>
          )
        }
      />
      <OnlyLive title="Going live is for live mode" of="These checks are">
        <Stack gap="lg" maw={880}>
          {answer.data ? (
            <Checks checks={answer.data.checks} />
          ) : answer.error ? (
            <ErrorState error={answer.error} retry={() => void answer.refetch()} />
          ) : (
            <Waiting />
          )}
          <SpendLimit />
        </Stack>
      </OnlyLive>
    </>
  );
}

/** As long as the checks take: a carrier may need some seconds. */
function Waiting() {
  return (
    <Paper p="lg">
      <Text size="sm" c="dimmed" role="status" mb="md">
        Checking. Carriers are asked too, which may take some seconds.
      </Text>
      <Stack gap="md">
        {["one", "two", "three", "four", "five", "six"].map((row) => (
          <Skeleton key={row} h={42} />
        ))}
      </Stack>
    </Paper>
  );
}

function Checks({ checks }: { checks: readonly LiveCheck[] }) {
  const failed = checks.filter(({ ok }) => !ok);
  const fine = checks.filter(({ ok }) => ok);
  return (
    <>
      <Alert color={failed.length === 0 ? "green" : "yellow"} role="status">
        <Text size="sm" fw={600}>
          {summaryOf(failed.length)}
        </Text>
      </Alert>
      {failed.length > 0 && <Part title="To do" checks={failed} />}
      {fine.length > 0 && <Part title="Ready" checks={fine} />}
    </>
  );
}

function Part({ title, checks }: { title: string; checks: readonly LiveCheck[] }) {
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Group gap="sm" mb="md">
        <Title order={2}>{title}</Title>
        <Badge className="parley-tone" data-tone={checks[0]!.ok ? "good" : "wait"}>
          {checks.length}
        </Badge>
      </Group>
      <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {checks.map((check, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two checks may have one name, and none moves.
          <Row key={index} check={check} />
        ))}
      </Stack>
    </Paper>
  );
}

function Row({ check }: { check: LiveCheck }) {
  const { ok, found, problem, remedy } = check;
  const { label, to, action } = wordsOf(check);
  // The form is on this page.
  const isHere = check.name === "spend_limit";
  const sentences = [found, problem].filter((sentence) => sentence !== null && sentence !== "");
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      <Mark isFine={ok} />
      <div style={{ minWidth: 0 }}>
        <Line fw={600}>{label}</Line>
        {sentences.map((sentence) => (
          <Line key={sentence} c={ok ? "dimmed" : undefined}>
            {sentence}
          </Line>
        ))}
        {remedy && !isHere && <Line>What to do: {remedy}</Line>}
        {!ok && to && (
          <Anchor component={Link} to={to} size="sm">
            {action}
          </Anchor>
        )}
        {!ok && isHere && (
          <Anchor href="#spend-limit" size="sm">
            Set it below
          </Anchor>
        )}
      </div>
    </Group>
  );
}

function Mark({ isFine }: { isFine: boolean }) {
  const [Icon, color, words] = isFine ? [IconCheck, "green", "Fine"] : [IconAlertTriangle, "red", "Not right"];
  return (
    <Icon size={18} color={`var(--mantine-color-${color}-7)`} role="img" aria-label={words} style={{ flexShrink: 0 }} />
  );
}

/** Addresses and hosts break where they have to. */
const Line = (props: TextProps & { children: ReactNode }) => (
  <Text size="sm" style={{ overflowWrap: "anywhere" }} {...props} />
);
