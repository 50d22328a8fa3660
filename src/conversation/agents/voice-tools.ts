import { type Static, type TObject, Type } from "typebox";
import { Value } from "typebox/value";
import { parseZonedTime } from "#domain/agents/extraction.ts";
import type { ToolCall, ToolOffer, VoiceToolName } from "#ports/language-model.ts";

/** What a turn of a call asks the session to do. Each is about this call and its contact; none says whom or where. */
export type VoiceAction =
  | { type: "end_call" }
  | { type: "do_not_call" }
  | { type: "schedule_callback"; at: Date }
  | { type: "transfer_call" }
  | { type: "press_digits"; digits: string };

const ScheduleCallback = Type.Object({
  time: Type.String({
    maxLength: 64,
    description: "When to call again, ISO 8601 with the contact's offset, for example 2026-11-24T15:00:00-07:00",
  }),
});
const PressDigits = Type.Object({
  digits: Type.String({ pattern: "^[0-9*#]{1,32}$", description: "Keys to press, of 0-9 * #" }),
});
const Nothing = Type.Object({});

const TOOLS: Record<VoiceToolName, { description: string; schema: TObject }> = {
  end_call: {
    description: "Hang up once your last sentence has been spoken: nothing is left to say. Say goodbye first.",
    schema: Nothing,
  },
  do_not_call: {
    description: "The contact wants no more calls, or this is the wrong person. Say nothing yourself.",
    schema: Nothing,
  },
  schedule_callback: {
    description: "The contact asked to be called again at a time that is still to come.",
    schema: ScheduleCallback,
  },
  transfer_call: {
    description: "The contact asked to speak to a person. Say that you put them through.",
    schema: Nothing,
  },
  press_digits: { description: "Press keys, when a recorded menu asks for it.", schema: PressDigits },
};

/** A call asked for is within this, or was misread. */
const MAX_CALL_AHEAD_MS = 90 * 86_400_000;

export function voiceToolOffers(powers: { canTransfer: boolean }): ToolOffer<VoiceToolName>[] {
  const names: VoiceToolName[] = ["end_call", "do_not_call", "schedule_callback", "press_digits"];
  if (powers.canTransfer) names.push("transfer_call");
  return names.map((name) => ({ name, description: TOOLS[name].description, parameters: { ...TOOLS[name].schema } }));
}

/** The action that a model's tool call comes to; undefined for a tool that is not on offer, a wrong shape, a time that has passed. */
export function voiceActionOf(
  call: ToolCall,
  offers: readonly ToolOffer<VoiceToolName>[],
  now: Date,
): VoiceAction | undefined {
  const offer = offers.find(({ name }) => name === call?.name);
  if (offer === undefined) return undefined;
  const { schema } = TOOLS[offer.name];
  const given = call.args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) return undefined;
  const known = Object.keys(schema.properties);
  const args = Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name)));
  if (!Value.Check(schema, args)) return undefined;
  switch (offer.name) {
    case "schedule_callback": {
      const at = parseZonedTime((args as Static<typeof ScheduleCallback>).time);
      const ahead = at === undefined ? 0 : at.getTime() - now.getTime();
      return ahead > 0 && ahead <= MAX_CALL_AHEAD_MS ? { type: offer.name, at: at! } : undefined;
    }
    case "press_digits":
      return { type: offer.name, digits: (args as Static<typeof PressDigits>).digits };
    default:
      return { type: offer.name };
  }
}
