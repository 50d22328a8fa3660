import type { LanguageModel, Prompt } from "#ports/language-model.ts";
import type { Rehearsal, RehearsedTurn } from "./rehearsal.ts";
import { rehearseCall } from "./rehearse-call.ts";
import { rehearseText } from "./rehearse-text.ts";

/**
 * One turn of a made-up conversation, thought as a real one is: the same prompt, rules and checks. Stores and sends nothing.
 * Rejects only with the caller's own abort reason.
 */
export async function rehearse(
  model: LanguageModel,
  { agent, ...rest }: Rehearsal,
  signal: AbortSignal,
): Promise<RehearsedTurn> {
  const watched = watch(model);
  const turn =
    agent.agent_type === "sms"
      ? await rehearseText(watched.model, { agent, ...rest }, signal)
      : await rehearseCall(watched.model, { agent, ...rest }, signal);
  return { ...turn, prompt: watched.prompt() };
}

/** The model, and the last prompt that it was to answer. */
function watch(model: LanguageModel): { model: LanguageModel; prompt: () => Prompt | null } {
  let seen: Prompt | null = null;
  const note = ({ prompt }: { prompt: Prompt }) => {
    // Rules read no prose: in calls they are given none.
    if (prompt.system !== "") seen = prompt;
  };
  return {
    prompt: () => seen,
    model: {
      name: model.name,
      capabilities: model.capabilities,
      reply(request, signal) {
        note(request);
        return model.reply(request, signal);
      },
      extract: (request, signal) => model.extract(request, signal),
      converse(request, signal) {
        note(request);
        return model.converse(request, signal);
      },
    },
  };
}
