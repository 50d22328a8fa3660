import { Badge } from "@mantine/core";
import type { Answer, Item } from "#api/operations.ts";
import type { Tone } from "#parts/show/words.ts";

export type Health = Answer<"GET /v1/voice/phone-numbers/health">["numbers"][number];

/** The last month: the default of the API. */
export const HEALTH_DAYS = 30;

/** Fewer calls say nothing about a number. */
const ENOUGH_CALLS = 20;
/** More than a fifth is no chance: the carrier has a problem with the number. */
const MANY_FAILED = 0.2;
/** Of calls to strangers a tenth and more are answered, unless phones show the number as spam. */
const FEW_ANSWERS = 0.1;

/** Why a number rests, and until when. */
export type Standing = Pick<Item<"GET /v1/voice/phone-numbers">["health"], "resting_until" | "reason">;

const REST_REASONS: Readonly<Record<string, string>> = {
  unwanted: "Two of its calls within a day were refused as spam",
  complaints: "More people asked for no further call than after calls from other numbers",
  answer_rate: "It is answered far less than the other numbers of the same campaigns",
  asked: "Somebody of yours has it rest",
};

export const whyResting = (reason: string | null): string => REST_REASONS[reason ?? ""] ?? "It rests";

/** What a number's figures mean, in a word and in a sentence. */
export function judge(
  health: Health | undefined,
  rest: Standing | undefined,
): { label: string; tone: Tone; meaning: string } {
  if (rest?.resting_until) {
    return {
      label: "Resting",
      tone: "wait",
      meaning: `${whyResting(rest.reason)}: no campaign calls from it until its rest is over.`,
    };
  }
  if (health === undefined || health.calls === 0) {
    return { label: "Not used", tone: "plain", meaning: `Nobody was called from it in the last ${HEALTH_DAYS} days.` };
  }
  if (health.marked_as_spam > 0) {
    return {
      label: "Spam",
      tone: "bad",
      meaning: "Calls from it were blocked as spam: two in a day have it rest.",
    };
  }
  if (health.calls < ENOUGH_CALLS) {
    return { label: "Not enough data", tone: "plain", meaning: `It takes ${ENOUGH_CALLS} calls to say how it fares.` };
  }
  if (health.failed / health.calls > MANY_FAILED) {
    return { label: "Failing", tone: "bad", meaning: "Many of its calls could not be placed, or broke off." };
  }
  if (health.answer_rate !== null && health.answer_rate < FEW_ANSWERS) {
    return {
      label: "Few answers",
      tone: "wait",
      meaning: "Hardly anybody answers: phones may show it as spam. Have it rest, or call fewer people from it.",
    };
  }
  return { label: "Healthy", tone: "good", meaning: "It is answered as one would expect." };
}

export function HealthBadge({ health, rest }: { health: Health | undefined; rest: Standing }) {
  const { label, tone, meaning } = judge(health, rest);
  return (
    <Badge className="parley-tone" data-tone={tone} title={meaning}>
      {label}
    </Badge>
  );
}
