import { Badge, Paper, Stack, Text, Title } from "@mantine/core";
import type { Answer } from "#api/operations.ts";

type Checks = Answer<"GET /v1/system">["system"]["health"];
type Name = Checks[number]["name"];

/** What each check is about, and what helps when it fails. */
const CHECKS: Readonly<Record<Name, { title: string; remedy: string }>> = {
  service: { title: "This node answers", remedy: "It is being stopped: another node, or its next start, takes over." },
  database: {
    title: "Database",
    remedy: "Look whether PostgreSQL runs and takes connections; “parley doctor” tries it and says what is wrong.",
  },
  replica: {
    title: "Read replica",
    remedy: "Look whether the server of DATABASE_REPLICA_URL runs and follows the database; nothing waits for it.",
  },
  clock: { title: "Clock", remedy: "Turn on time synchronization (NTP) on every machine: calling hours depend on it." },
  sending: {
    title: "Texts are sent and answered",
    remedy: "Start a worker: “parley worker”, or “worker” in PARLEY_ROLES.",
  },
  calls: {
    title: "Calls are placed and taken",
    remedy: "Start a media node: “parley media”, or “media” in PARLEY_ROLES.",
  },
  jobs: { title: "Jobs on schedule", remedy: "Start another worker, or look in the log for what fails." },
};

/** Every check, with what to do where one fails. */
export function HealthList({ checks }: { checks: Checks }) {
  return (
    <Paper p="lg" component="section" aria-label="Health">
      <Title order={2} mb="md">
        Health
      </Title>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
        {checks.map(({ name, problem }) => (
          <li key={name} style={{ display: "flex", gap: "0.75rem", alignItems: "baseline" }}>
            <Badge className="parley-tone" data-tone={problem === null ? "good" : "bad"} miw="4.5rem">
              {problem === null ? "OK" : "Problem"}
            </Badge>
            <div>
              <Text size="sm" fw={problem === null ? undefined : 600}>
                {CHECKS[name].title}
              </Text>
              {problem !== null && (
                <Text size="sm">
                  {problem} {CHECKS[name].remedy}
                </Text>
              )}
            </div>
          </li>
        ))}
      </Stack>
    </Paper>
  );
}
