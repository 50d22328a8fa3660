import { Alert, Anchor, List } from "@mantine/core";
import { Link } from "react-router";
import type { Answer } from "#api/operations.ts";
import { IconMessageQuestion } from "#parts/icons/tabler.ts";
import { whole } from "#parts/show/figures.tsx";

type Waiting = Answer<"GET /v1/overview">["overview"]["conversations"];

/** Contacts who wait for an answer that the agent has not given; gone while there are none. */
export function WaitingConversations({ waiting }: { waiting: Waiting | undefined }) {
  if (waiting === undefined || (waiting.need_person === 0 && waiting.answer_delayed === 0)) return null;
  const { need_person, answer_delayed } = waiting;
  return (
    <Alert color="yellow" role="status" icon={<IconMessageQuestion size={18} />} title="Contacts wait for an answer">
      <List size="sm" spacing={2}>
        {need_person > 0 && (
          <List.Item>
            <Anchor component={Link} to="/conversations?attention=needs_person" size="sm" underline="always">
              {need_person === 1
                ? "1 conversation needs a person"
                : `${whole(need_person)} conversations need a person`}
            </Anchor>
          </List.Item>
        )}
        {answer_delayed > 0 && (
          <List.Item>
            <Anchor component={Link} to="/conversations?attention=answer_delayed" size="sm" underline="always">
              {answer_delayed === 1
                ? "1 answer waits for the language model"
                : `${whole(answer_delayed)} answers wait for the language model`}
            </Anchor>
            : it is asked again until a day has passed
          </List.Item>
        )}
      </List>
    </Alert>
  );
}
