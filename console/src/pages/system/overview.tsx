import { Paper, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { DemoData } from "#parts/page/demo-data.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { whole } from "#parts/show/figures.tsx";
import { SystemTest } from "#parts/show/system-test.tsx";
import { Time } from "#parts/show/time.tsx";
import { spelled } from "#parts/show/words.ts";
import { SystemHead } from "./head.tsx";
import { HealthList } from "./health-list.tsx";
import { Nodes } from "./nodes.tsx";
import { Retention } from "./retention.tsx";
import { SetAside } from "./set-aside.tsx";

type System = Answer<"GET /v1/system">["system"];

/** Nodes come and go, and jobs wait, without an event. */
const LOOK_EVERY_MS = 10_000;

/** Whether all systems are operational, what it consists of, and what to do when something is wrong. */
export function Component() {
  const isAdmin = useCan("admin");
  const answer = useAnswer("GET /v1/system", isAdmin ? {} : undefined, { refetchIntervalMs: LOOK_EVERY_MS });
  const system = answer.data?.system;
  return (
    <>
      <SystemHead
        title="System"
        about={
          system
            ? `Parley ${system.version}${system.commit ? `, commit ${system.commit.slice(0, 12)}` : ""}`
            : "The service itself"
        }
        actions={isAdmin && <CopyAsCurl operation="GET /v1/system" args={{}} />}
      />
      {!isAdmin ? (
        <EmptyState title="For admins" text="Nodes, carriers and storage are shown to admins. Ask one of yours." />
      ) : answer.error && system === undefined ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : system === undefined ? (
        <Skeleton h={320} />
      ) : (
        <Stack gap="xl">
          <HealthList checks={system.health} />
          {system.set_aside.length > 0 && (
            <Card title="Set aside">
              <SetAside tasks={system.set_aside} />
            </Card>
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Card title="Carriers">
              <Carriers system={system} />
              <SystemTest of="carrier" />
            </Card>
            <Card title="Language model and speech">
              <Models system={system} />
              <Waiting system={system} />
              <SystemTest of="model" />
            </Card>
            <Card title="Storage and backups">
              <Storage system={system} />
            </Card>
            <Card title="Work, clocks and the law">
              <Work system={system} />
            </Card>
          </SimpleGrid>
          <Nodes nodes={system.nodes} apiSince={system.api.started_at} />
          <Retention />
          <Card title="Demo data">
            <DemoData />
          </Card>
        </Stack>
      )}
    </>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Title order={2} mb="md">
        {title}
      </Title>
      <Stack gap="md">{children}</Stack>
    </Paper>
  );
}

const CHANNELS = { sms: "Texts", voice: "Calls" } as const;
const MODES = { test: "in the simulator", live: "to real phones" } as const;

function Carriers({ system }: { system: System }) {
  const none = "Not configured: live campaigns of this kind are refused";
  return (
    <Fields
      items={system.carriers.map(
        ({ channel, mode, name }) => [`${CHANNELS[channel]} ${MODES[mode]}`, name ?? none] as const,
      )}
    />
  );
}

function Models({ system: { model, speech } }: { system: System }) {
  return (
    <>
      <Fields
        items={[
          ["Model", model.host === null ? "The offline agent: rules, no account, no network" : model.name],
          model.host !== null && ["Asked at", model.host],
          model.fallback !== null && ["Where it fails", `${model.fallback.name} at ${model.fallback.host}`],
          ["Voice", spelled(speech.voice)],
          ["Speech-to-text", spelled(speech.transcription)],
        ]}
      />
      {speech.problem && <Text size="sm">{speech.problem}</Text>}
    </>
  );
}

function Waiting({ system: { conversations } }: { system: System }) {
  const { answer_delayed, delayed_since, need_person } = conversations;
  return (
    <Fields
      items={[
        ["Answers that wait for the model", whole(answer_delayed)],
        delayed_since !== null && ["The first of them since", <Time key="since" at={delayed_since} />],
        ["Conversations that need a person", whole(need_person)],
      ]}
    />
  );
}

const GB = 1024 ** 3;
const MB = 1024 ** 2;
function size(bytes: number | null): string {
  if (bytes === null) return "Not known";
  return bytes >= GB ? `${(bytes / GB).toFixed(1)} GB` : `${whole(Math.round(bytes / MB))} MB`;
}

function Storage({ system: { storage, backup } }: { system: System }) {
  return (
    <>
      <Fields
        items={[
          ["Database", `${size(storage.database_bytes)}, ${storage.database === "embedded" ? "built-in" : "your own"}`],
          ["Free on disk", `${size(storage.free_bytes)} of ${size(storage.total_bytes)}`],
          ["Restorable without sending twice", `Backups of the last ${whole(backup.journal_days)} days`],
        ]}
      />
      {backup.fenced_at ? (
        <Text size="sm">
          Nothing is sent since <Time at={backup.fenced_at} isReal />: {backup.fence_reason}. When the journal is read,
          lift the fence with <code>parley fence lift</code> (docs/backup.md).
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          Parley does not know when a backup was last made: see that <code>parley backup</code> runs every night.
        </Text>
      )}
    </>
  );
}

function Work({ system: { jobs, clock, law } }: { system: System }) {
  return (
    <Fields
      items={[
        ["Jobs due now", whole(jobs.due)],
        [
          "Oldest due job",
          jobs.oldest_due_at === null ? "None waits" : <Time key="due" at={jobs.oldest_due_at} isReal />,
        ],
        ["Jobs for later", whole(jobs.waiting - jobs.due)],
        ["Jobs that fail again and again", whole(jobs.failing)],
        ["Clock, from the database's", clock.skew_ms === null ? "Not known" : `${clock.skew_ms} ms`],
        clock.ahead_ms > 0 && [
          "The simulator's clock is ahead by",
          `${whole(Math.round(clock.ahead_ms / 3_600_000))} hours`,
        ],
        [
          "Calling hours",
          `${whole(law.rules)} rules, ${law.profile === "strict" ? "the strict profile" : "federal law alone"}`,
        ],
        ["Rules checked on", law.verified_on],
        ["Area codes", whole(law.area_codes)],
      ]}
    />
  );
}
