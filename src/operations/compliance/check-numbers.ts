import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as numberChecks from "#store/compliance/number-checks.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "#store/messaging/messages.ts";
import * as lanes from "#store/sending/lanes.ts";

/** Numbers that one job checks; the next job checks the rest. */
const QUESTIONS_A_JOB = 5_000;

/**
 * Looks up whether numbers have been reassigned, where a claim needs to know; stores the answers and wakes the texts that wait for them. Without an
 * answer they go on waiting, and the sweep tries again.
 */
export async function checkNumbers(ctx: Context, { tenantId }: { tenantId: Uuid }, signal: AbortSignal): Promise<void> {
  const { reassignedNumbers } = ctx;
  if (!reassignedNumbers) return;
  const open = await numberChecks.open(ctx.db, tenantId, QUESTIONS_A_JOB);
  for (const piece of piecesOf(open, reassignedNumbers.maxQuestions)) {
    const questions = piece.map((number) => ({ phone: number.phone, consentOn: number.consent_at }));
    const answers = await reassignedNumbers.check(questions, signal).catch((error: unknown) => {
      ctx.log.warn({ err: error, database: reassignedNumbers.name }, "numbers could not be checked; their texts wait");
      return undefined;
    });
    if (answers === undefined) return;
    await ctx.db.transaction(async (tx) => {
      const now = await tenants.tenantNow(tx, tenantId, ctx.now());
      const answered = piece.map((number, i) => ({ ...number, answer: answers[i]! }));
      await numberChecks.answer(tx, tenantId, answered, now);
      const phones = piece.map((number) => number.phone);
      const waiting = await messages.wakeByRule(tx, tenantId, phones, "reassigned_unchecked", now);
      await lanes.wake(tx, tenantId, waiting, now);
      await dials.wakeByRule(tx, tenantId, phones, "reassigned_unchecked", { now, realNow: ctx.now() });
    });
  }
  if (open.length === QUESTIONS_A_JOB) await queue.enqueue(ctx.db, [{ job: "check-numbers", payload: { tenantId } }]);
}
