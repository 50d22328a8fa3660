import { judgeOptOut as judge } from "#conversation/messaging/judge-opt-out.ts";
import { optOutConfirmation } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as callOptOuts from "#store/compliance/call-opt-outs.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as answers from "#store/messaging/answers.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "#store/sending/lanes.ts";

/**
 * Judges the text for which a phone is in doubt, and ends the doubt: by an opt-out with its confirmation, or by having the agent answer. The model is
 * called outside any transaction; a doubt that has ended or changed meanwhile is left as it is. An opt-out that was said in a call and could not be
 * written then needs no judging, and is written.
 */
export async function judgeOptOut(
  ctx: Context,
  { tenantId, phone }: { tenantId: Uuid; phone: string },
  signal: AbortSignal,
): Promise<void> {
  const said = await callOptOuts.findDoubted(ctx.db, tenantId, phone);
  if (said) {
    const { callId, at } = said;
    await ctx.journal.append({ kind: "opt_out", at: at.toISOString(), tenantId, phone, source: "call", callId });
    await ctx.db.transaction((tx) => callOptOuts.write(tx, tenantId, said, ctx));
    return optOuts.handedOver(ctx.db, tenantId, [phone], ctx);
  }
  const doubt = await optOuts.findDoubted(ctx.db, tenantId, phone);
  if (!doubt) return;
  const model = ctx.models.forMode(doubt.carrier === "simulator" ? "test" : "live");
  const wish = wishOf(doubt.text);
  const doubtful = wish.wish === "none" ? doubt.text : wish.quote;
  const verdict = await judge(model, { text: doubt.text, doubtful, now: ctx.now() }, { signal });
  ctx.log.info({ tenantId, note: verdict.note, isOptOut: verdict.isOptOut }, "a text in doubt was judged");
  if (verdict.isOptOut) {
    const at = doubt.sent_at.toISOString();
    await ctx.journal.append({ kind: "opt_out", at, tenantId, phone, source: "journal" });
  }
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await optOuts.lock(tx, tenantId, [phone]);
    const current = await optOuts.findDoubted(tx, tenantId, phone);
    if (current?.carrier !== doubt.carrier || current.carrier_id !== doubt.carrier_id) return;
    const lane = await lanes.bySender(tx, tenantId, doubt.carrier, doubt.recipient);
    const [thread] = lane ? await threads.lockLatest(tx, tenantId, [{ phone, laneId: lane.id }]) : [];
    const incoming = lane && { phone, laneId: lane.id, thread, now, realNow };
    if (verdict.isOptOut) {
      const optOut = {
        source: "free_text",
        quote: verdict.quote,
        at: doubt.sent_at,
        newId: ctx.newId,
        hash: ctx.hashPhone,
      };
      await optOuts.optOut(tx, tenantId, phone, optOut);
      if (thread) {
        thread.answered_step = thread.last_inbound_step;
        thread.reply_due_at = null;
        thread.person_wanted_at = null;
        thread.call_scheduled_at = null;
        thread.transfer_requested_at = null;
      }
      // It has to leave within minutes of the text, not of the judgement, which may be late.
      const wording = (organization: string) => optOutConfirmation(organization, doubt.text);
      const confirmation = { id: ctx.newId(), kind: "confirmation", wording } as const;
      if (incoming) {
        await answers.insertOwn(tx, tenantId, { ...incoming, now: doubt.received_at }, confirmation);
        await lanes.wake(tx, tenantId, [incoming.laneId], now);
      }
    } else {
      await optOuts.endDoubt(tx, tenantId, phone);
      if (thread) await answers.schedule(tx, tenantId, [thread], { now, realNow });
      const waiting = await messages.wakeByRule(tx, tenantId, [phone], "opt_out_in_doubt", now);
      await lanes.wake(tx, tenantId, waiting, now);
    }
    if (thread) await threads.save(tx, tenantId, [thread], now);
    if (!verdict.isOptOut) await dials.wakeByRule(tx, tenantId, [phone], "opt_out_in_doubt", { now, realNow });
  });
  if (verdict.isOptOut) await optOuts.handedOver(ctx.db, tenantId, [phone], ctx);
}
