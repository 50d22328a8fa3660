import { Alert, Code, Paper, Stack, Text, Title } from "@mantine/core";
import { Fields } from "#parts/show/fields.tsx";
import { Duration, Money, whole } from "#parts/show/figures.tsx";
import classes from "./playground.module.css";
import { actionWords, type Turn } from "./turn.ts";

/** How the agent came to what it said. */
export function Inspector({ turn }: { turn: Turn }) {
  const { usage, cost, prompt, notes, actions, failure } = turn;
  const isAsked = usage.input_tokens > 0 || prompt !== null;
  return (
    <Paper p="lg" component="section" aria-label="This turn">
      <Stack gap="md">
        <Title order={2}>This turn</Title>
        {failure && (
          <Alert color="red" title="The language model could not answer">
            Its error code: <Code>{failure.code}</Code>.{" "}
            {failure.retryable ? "A real turn would be tried again." : "Look at how the model is set up."}
          </Alert>
        )}
        <Fields
          items={[
            ["Would do", actions.length === 0 ? "Nothing but answer" : actions.map(actionWords).join(" · ")],
            ["Response time", <Duration key="t" ms={turn.latency_ms} />],
            ["Model", isAsked ? turn.model : `${turn.model}, not asked`],
            ["Tokens", isAsked ? `${whole(usage.input_tokens)} read, ${whole(usage.output_tokens)} written` : "None"],
            [
              "Cost",
              <span key="c">
                <Money amount={cost.total} />
                {turn.segments !== null && (
                  <Text span size="sm" c="dimmed">
                    {" "}
                    (model <Money amount={cost.model} />,{" "}
                    {turn.segments === 1 ? "1 segment" : `${turn.segments} segments`} <Money amount={cost.texts} />)
                  </Text>
                )}
              </span>,
            ],
            notes.length > 0 && ["Notes", notes.join("; ")],
          ]}
        />
        {prompt && (
          <div>
            <Title order={3} mb={4}>
              Prompt
            </Title>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
            <section className={classes.prompt} aria-label="Prompt" tabIndex={0}>
              {prompt.system}
              {prompt.messages.map(({ role, content }) => `\n\n[${role}]\n${content}`).join("")}
            </section>
          </div>
        )}
      </Stack>
    </Paper>
  );
}
