import { Badge, Button, Group, List, Paper, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { useDraft } from "#parts/campaigns/draft.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import classes from "./agents.module.css";
import type { Agent, Errors } from "./draft.ts";
import { useFailure } from "./failure.ts";
import { SaveBar } from "./save-bar.tsx";
import {
  type ScriptDraft,
  type ScriptQuestion,
  savedWording,
  type Wording,
  withWording,
  writtenOf,
} from "./script-draft.ts";
import { Section } from "./section.tsx";

/** What the agent asks and answers by where no language model does. */
export function Questions({ agent }: { agent: Agent }) {
  const params = { agent_id: agent.agent_id };
  const answer = useAnswer("GET /v1/agents/:agent_id/script", { params });
  if (answer.data === undefined) {
    return answer.error ? (
      <ErrorState error={answer.error} retry={() => void answer.refetch()} />
    ) : (
      <Skeleton h={320} />
    );
  }
  const { script, version } = answer.data;
  return (
    <Stack gap="md">
      <Text c="dimmed" maw={620}>
        The agent asks these where no language model is set up, or where it cannot be reached: one at a time, in this
        order, and none whose answer it has. A contact who writes Spanish is asked in Spanish.
      </Text>
      {script.questions.length === 0 ? (
        <EmptyState title="It asks nothing" text="Say in the builder what the agent is to find out." />
      ) : (
        <Form key={`${agent.agent_id} ${version}`} agent={agent} version={version} questions={script.questions} />
      )}
      <Sentences
        title="What it answers"
        about="Sentences of the instructions, said to whoever asks for what is in them. They are changed in the builder."
        none="The instructions state nothing: questions are passed on to a person."
        sentences={script.facts}
      />
      <Sentences
        title="What it leaves to a person"
        about="Questions about these are passed on."
        none="The instructions forbid nothing."
        sentences={script.off_limits}
      />
      <Group>
        <CopyAsCurl operation="GET /v1/agents/:agent_id/script" args={{ params }} />
      </Group>
    </Stack>
  );
}

function Form({
  agent: { agent_id, questions: written = [] },
  version,
  questions,
}: {
  agent: Agent;
  version: number;
  questions: readonly ScriptQuestion[];
}) {
  const mayWrite = useCan("write");
  const { draft, change, startOver } = useDraft<ScriptDraft>(`script-${agent_id}`, () => ({ changed: {} }));
  const { errors, failure, fail, clear } = useFailure();
  const put = useSend(
    "PUT /v1/agents/:agent_id/script",
    [
      "GET /v1/agents",
      "GET /v1/agents/:agent_id",
      "GET /v1/agents/:agent_id/script",
      "GET /v1/agents/:agent_id/versions",
    ],
    { isShown: true },
  );
  const sent = writtenOf(questions, written, draft);
  // A question may have gone with a later version of the agent.
  const changes = questions.filter(({ field }) => field in draft.changed).length;
  const save = async () => {
    try {
      await put.mutateAsync({ params: { agent_id }, body: { questions: sent } });
      startOver();
    } catch (error) {
      fail(error);
    }
  };
  return (
    <>
      <fieldset disabled={!mayWrite} className={classes.plain}>
        <Stack gap="md">
          {questions.map((asked) => {
            const saved = savedWording(asked, written);
            return (
              <Question
                key={asked.field}
                asked={asked}
                saved={saved}
                now={draft.changed[asked.field]}
                at={`questions.${sent.findIndex(({ field }) => field === asked.field)}`}
                errors={errors}
                edit={(now) => {
                  clear();
                  change(withWording(draft, asked.field, saved, now));
                }}
              />
            );
          })}
        </Stack>
      </fieldset>
      {mayWrite && changes > 0 && (
        <SaveBar
          text={`${changes === 1 ? "1 question" : `${changes} questions`} changed, not saved. Campaigns that run keep the version they started with.`}
          save={`Save as version ${version + 1}`}
          isBusy={put.isPending}
          onSave={save}
          onDiscard={() => {
            clear();
            startOver();
          }}
          failure={failure}
        />
      )}
    </>
  );
}

/** What an answer has to look like to be taken for one. */
const ANSWERS: Readonly<Record<string, string>> = {
  name: "a name",
  first_name: "a first name",
  last_name: "a last name",
  email: "an e-mail address",
  phone: "a phone number",
  postal_code: "a ZIP or postal code",
  place: "a place",
  money: "an amount of money",
  number: "a number",
  date: "a date",
  time: "a time of day",
  date_time: "a day and time",
  call_time: "a time for a call",
  period: "a period, such as this spring",
  interest: "interest, yes or no",
  yes_no: "yes or no",
  choice: "one of the choices",
  free: "a few words",
};

const MAX_QUESTION = 200;

function Question({
  asked,
  saved,
  now,
  at,
  errors,
  edit,
}: {
  asked: ScriptQuestion;
  saved: Wording;
  now: Wording | null | undefined;
  at: string;
  errors: Errors;
  edit: (now: Wording | null) => void;
}) {
  const { field, type, choices, required, is_first, is_edited } = asked;
  const shown = now ?? saved;
  // It is made of the question where nobody wrote it, and that may have changed.
  const made = shown.question === saved.question ? asked.rephrased[0] : undefined;
  return (
    <Paper p="lg" component="section" aria-label={`Question for ${field}`}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Title order={2}>{field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ")}</Title>
            {required && <Badge variant="default">Required</Badge>}
            {is_first && <Badge variant="default">Asked by the first text</Badge>}
            {is_edited && now !== null && <Badge>Your words</Badge>}
          </Group>
          {is_edited && now !== null && (
            <Button
              variant="default"
              size="xs"
              onClick={() => edit(null)}
              aria-label={`Reset the question for ${field}`}
            >
              Reset
            </Button>
          )}
          {now === null && (
            <Button
              variant="default"
              size="xs"
              onClick={() => edit(saved)}
              aria-label={`Keep the question for ${field}`}
            >
              Keep
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          The answer is {ANSWERS[type] ?? type}
          {choices.length > 0 && `: ${choices.join(", ")}`}
        </Text>
        {now === null ? (
          <Text size="sm">It is asked in the agent's own words again once this is saved.</Text>
        ) : (
          <>
            <TextInput
              label="Question"
              required
              maxLength={MAX_QUESTION}
              value={shown.question}
              onChange={(event) => edit({ ...shown, question: event.currentTarget.value })}
              error={errors[`${at}.question`] ?? errors[`${at}.field`]}
            />
            <TextInput
              label="If there is no answer"
              maxLength={MAX_QUESTION}
              placeholder={made ?? "The question once more"}
              value={shown.again[0] ?? ""}
              onChange={(event) => edit({ ...shown, again: [event.currentTarget.value, ...shown.again.slice(1)] })}
              error={errors[`${at}.rephrased.0`]}
            />
          </>
        )}
      </Stack>
    </Paper>
  );
}

function Sentences({
  title,
  about,
  none,
  sentences,
}: {
  title: string;
  about: string;
  none: string;
  sentences: readonly string[];
}) {
  return (
    <Section title={title} about={about}>
      {sentences.length === 0 ? (
        <Text c="dimmed">{none}</Text>
      ) : (
        <List>
          {sentences.map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the instructions may say the same twice.
            <List.Item key={index}>{sentence}</List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}
