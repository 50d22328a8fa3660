import { Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { duration } from "#parts/show/figures.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import type { Call } from "./call.tsx";
import classes from "./calls.module.css";

/** What happened, in order. */
export function Timeline({ call }: { call: Call }) {
  const steps = stepsOf(call);
  if (steps.length === 0) return null;
  return (
    <Paper p="md" component="section" aria-label="Timeline">
      <Title order={2} mb="sm">
        Timeline
      </Title>
      <ol className={classes.timeline}>
        {steps.map(({ what, at, more }) => (
          <li key={what}>
            <Text size="sm">{what}</Text>
            <Text size="xs" c="dimmed" component="div">
              <Time at={at} exact />
              {more && <> · {more}</>}
            </Text>
          </li>
        ))}
      </ol>
    </Paper>
  );
}

type Step = { what: string; at: string; more?: ReactNode };

function stepsOf(call: Call): Step[] {
  const { scheduled_for, dialed_at, answered_at, stop_requested_at, end_timestamp, disconnection_reason } = call;
  const steps: Step[] = [];
  if (scheduled_for !== null) steps.push({ what: "It is looked at next", at: scheduled_for });
  if (dialed_at !== null) {
    steps.push({ what: call.direction === "inbound" ? "The contact called" : "Dialled", at: dialed_at });
  }
  if (answered_at !== null) {
    const rang = dialed_at === null ? 0 : Date.parse(answered_at) - Date.parse(dialed_at);
    steps.push({ what: "Answered", at: answered_at, ...(rang > 0 ? { more: `after ${duration(rang)}` } : {}) });
  }
  if (stop_requested_at !== null) steps.push({ what: "Somebody here asked to stop it", at: stop_requested_at });
  if (end_timestamp !== null) {
    steps.push({ what: disconnection_reason ? reasonOf(disconnection_reason) : "It ended", at: end_timestamp });
  }
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
