import { isDeepStrictEqual } from "node:util";
import type { AgentScript } from "#domain/agents/record.ts";
import { refuseWrongQuestions, type WrittenQuestion } from "#domain/agents/script.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";

/**
 * Sets how a person words the agent's questions, in the place of all that was worded before, as a new version; running campaigns keep theirs. Nothing
 * changes where they are so already. 400 for what cannot be asked, or a field that the agent does not ask for.
 */
export async function changeScript(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  given: readonly WrittenQuestion[],
): Promise<AgentScript> {
  const { tenantId } = caller;
  const written = given.map(({ field, question, rephrased }) => ({
    field,
    question: question.trim(),
    rephrased: rephrased.map((wording) => wording.trim()),
  }));
  return ctx.db.transaction(async (tx) => {
    const old = await agents.lock(tx, tenantId, id);
    if (!old) throw notFound("Agent");
    const { questions = [], ...rest } = old.config;
    const config = written.length > 0 ? { ...rest, questions: written } : rest;
    const script = ctx.script.read(config);
    refuseWrongQuestions(written, script);
    if (isDeepStrictEqual(questions, written)) return { agent: old, script };
    const next = { version: old.version + 1, config, at: await tenants.tenantNow(tx, tenantId, ctx.now()) };
    await agents.change(tx, tenantId, id, next);
    ctx.audit.note({ organizationId: old.organization_id, before: { questions }, after: { questions: written } });
    return { agent: { ...old, version: next.version, config, updated_at: next.at }, script };
  });
}
