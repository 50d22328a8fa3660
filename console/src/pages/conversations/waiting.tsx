import { Text } from "@mantine/core";
import { Time } from "#parts/show/time.tsx";
import type { ThreadData } from "./thread.tsx";

/** What the conversation waits for: the language model, or a person. Whether a question was passed on or an answer could not be given, the API leaves open. */
export function Waiting({ thread: { delayed_answer, person_wanted_at } }: { thread: ThreadData }) {
  if (delayed_answer !== null) {
    return (
      <Text size="xs" c="dimmed" px="md" py={4} role="status">
        The language model has not answered since <Time at={delayed_answer.since} />. It is asked again{" "}
        <Time at={delayed_answer.next_try_at} />, or as soon as the contact writes.
      </Text>
    );
  }
  if (person_wanted_at === null) return null;
  return (
    <Text size="xs" c="dimmed" px="md" py={4} role="status">
      A person has been wanted since <Time at={person_wanted_at} />: the agent passed a question on, or had no answer
      that may be sent.
    </Text>
  );
}
