import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { extractThread } from "#operations/messaging/extract-thread.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { type LanguageModel, ModelError } from "#ports/language-model.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";

/** The offline model, except where a test says otherwise. */
function withModel(ctx: Context, more: Partial<LanguageModel>): Context {
  const model = { ...ctx.models.forMode("test"), ...more };
  return { ...ctx, models: { forMode: () => model } };
}

type Key = { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };

/** A contact that has written, whom nobody has answered. */
async function anUnanswered(t: TestContext): Promise<Sending & { key: Key }> {
  const sending = await aSending(t, 1, { agent: { reply_delay_ms: 0 } });
  await drain(withCarrier(sending.ctx, aCarrier(accepted)), sending.lane);
  const word = { carrier: "simulator", carrierId: "in_1", from: phone(0), to: SENDER, text: "Yes, tell me more" };
  await receiveMessage(sending.ctx, sending.tenantId, { ...word, sentAt: new Date() });
  const { rows } = await sending.client.query("select id, campaign_id from threads");
  return { ...sending, key: { tenantId: sending.tenantId, campaignId: rows[0].campaign_id, threadId: rows[0].id } };
}

const replies = async ({ client }: Sending): Promise<number> =>
  (await client.query("select count(*)::int as n from messages where kind = 'reply'")).rows[0].n;

/** Whether this job waits and is due now. */
const isRung = async ({ client }: Sending, job: string): Promise<boolean> =>
  (await client.query("select from graphile_worker.jobs where task_identifier = $1 and run_at <= now()", [job])).rows
    .length > 0;
const silence = ({ client }: Sending) => client.query("delete from graphile_worker._private_jobs");

test("the turn of a process that dies while a model is asked is taken by another at once", async (t) => {
  const unanswered = await anUnanswered(t);
  const id = unanswered.ctx.newId();
  const dead = await nodes.join(unanswered.api.databaseUrl, unanswered.ctx.db, {
    id,
    roles: ["worker"],
    now: () => new Date(),
  });
  let isAsked = false;
  const never = () => {
    isAsked = true;
    return new Promise<never>(() => {});
  };
  const doomed = withModel({ ...unanswered.another(), node: { id, alive: () => true } }, { reply: never });
  const dying = new AbortController();
  const turn = replyToThread(doomed, unanswered.key, dying.signal).catch(() => {});
  await until("the model is asked", async () => isAsked);
  await silence(unanswered);
  await replyToThread(unanswered.ctx, unanswered.key, new AbortController().signal);
  assert.equal(await replies(unanswered), 0, "it has the turn");
  await silence(unanswered);
  await dead.abandon();
  await recoverAttempts(unanswered.ctx, new AbortController().signal);
  assert.equal(await isRung(unanswered, "reply-to-thread"), true);
  await replyToThread(unanswered.ctx, unanswered.key, new AbortController().signal);
  assert.equal(await replies(unanswered), 1);
  // What the dead one would say now changes nothing.
  dying.abort();
  await turn;
  await replyToThread(unanswered.ctx, unanswered.key, new AbortController().signal);
  assert.equal(await replies(unanswered), 1);
});

test("a turn that is cut off by a stop is given back at once", async (t) => {
  const unanswered = await anUnanswered(t);
  const stopping = new AbortController();
  const cut = withModel(unanswered.ctx, {
    reply: (_request, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        stopping.abort(new Error("stopping"));
      }),
  });
  await silence(unanswered);
  await assert.rejects(replyToThread(cut, unanswered.key, stopping.signal), /stopping/);
  assert.equal(await isRung(unanswered, "reply-to-thread"), true);
  await replyToThread(unanswered.another(), unanswered.key, new AbortController().signal);
  assert.equal(await replies(unanswered), 1);
});

test("a text that comes while a turn is taken has its own turn, which the end of the first does not hasten", async (t) => {
  const unanswered = await anUnanswered(t);
  const stopping = new AbortController();
  const cut = withModel(unanswered.ctx, {
    reply: async () => {
      const word = { carrier: "simulator", carrierId: "in_2", from: phone(0), to: SENDER, text: "Are you there?" };
      await receiveMessage(unanswered.ctx, unanswered.tenantId, { ...word, sentAt: new Date() });
      await unanswered.client.query("update threads set reply_due_at = reply_due_at + interval '1 hour'");
      stopping.abort(new Error("stopping"));
      throw stopping.signal.reason;
    },
  });
  await assert.rejects(replyToThread(cut, unanswered.key, stopping.signal), /stopping/);
  const { rows } = await unanswered.client.query(
    `select reply_due_at > now() + clock_offset_ms * interval '1 millisecond' + interval '30 minutes' as waits, reply_node_id
     from threads join tenants on tenants.id = tenant_id`,
  );
  assert.deepEqual(rows, [{ waits: true, reply_node_id: null }]);
});

test("an answer that is ready when another process has answered already is not sent", async (t) => {
  const unanswered = await anUnanswered(t);
  const own = unanswered.ctx.models.forMode("test");
  const slow = withModel(unanswered.another(), {
    reply: async (...asked) => {
      // Its turn has been taken from it, as from a process that stood still.
      await unanswered.client.query("update threads set reply_due_at = 'epoch', reply_node_id = null");
      await replyToThread(unanswered.ctx, unanswered.key, new AbortController().signal);
      assert.equal(await replies(unanswered), 1);
      return own.reply(...asked);
    },
  });
  await replyToThread(slow, unanswered.key, new AbortController().signal);
  assert.equal(await replies(unanswered), 1);
});

test("an answer to what the contact has added to meanwhile is not sent: the next one is to all of it", async (t) => {
  const unanswered = await anUnanswered(t);
  const own = unanswered.ctx.models.forMode("test");
  const asked: string[] = [];
  const overtaken = withModel(unanswered.ctx, {
    reply: async (request, signal) => {
      if (asked.push(JSON.stringify(request.history)) === 1) {
        const word = { carrier: "simulator", carrierId: "in_2", from: phone(0), to: SENDER, text: "Are you there?" };
        await receiveMessage(unanswered.ctx, unanswered.tenantId, { ...word, sentAt: new Date() });
      }
      return own.reply(request, signal);
    },
  });
  await replyToThread(overtaken, unanswered.key, new AbortController().signal);
  assert.deepEqual([asked.length, await replies(unanswered)], [1, 0]);
  await unanswered.client.query("update threads set reply_due_at = 'epoch'");
  await replyToThread(overtaken, unanswered.key, new AbortController().signal);
  assert.deepEqual([asked.length, await replies(unanswered)], [2, 1]);
  assert.match(asked[1]!, /Yes, tell me more.*Are you there/s);
});

test("an extraction is made once an unavailable model is back; one that the model refuses is not requested again", async (t) => {
  const unanswered = await anUnanswered(t);
  await replyToThread(unanswered.ctx, unanswered.key, new AbortController().signal);
  const extracted = async () =>
    (await unanswered.client.query("select count(*)::int as n from extractions")).rows[0].n as number;
  const rungAfter = async (ms: number) => {
    await silence(unanswered);
    await dueJobs.enqueueDue(unanswered.ctx.db, new Date(Date.now() + ms), null);
    return isRung(unanswered, "extract-thread");
  };
  const extract = (ctx: Context) => extractThread(ctx, unanswered.key, new AbortController().signal);
  const failing = (retryable: boolean) =>
    withModel(unanswered.ctx, {
      extract: async () => {
        throw new ModelError("away", { retryable, vendorCode: "503", retryAfterMs: 20_000 });
      },
    });

  assert.equal(await rungAfter(0), false, "its own bell has rung");
  assert.equal(await rungAfter(61_000), true, "a bell that was lost is rung again");
  await extract(failing(true));
  assert.deepEqual([await rungAfter(10_000), await rungAfter(21_000)], [false, true]);
  await extract(failing(false));
  assert.equal(await rungAfter(3_600_000), false);
  await extract(failing(true));
  assert.equal(await extracted(), 0);
  await extract(unanswered.ctx);
  assert.deepEqual([await extracted(), await rungAfter(3_600_000)], [1, false]);
});
