import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeOptOut } from "#operations/compliance/judge-opt-out.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Context } from "#operations/context.ts";
import { finishCalls } from "#operations/dialing/conduct-calls.ts";
import { recordOptOut } from "#operations/dialing/opt-outs.ts";
import type { CallObserver } from "#ports/call-line.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, type Calling, drain, phone, states } from "#test/support/calls/calling.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { AWAY, withFailing } from "#test/support/database/failing-database.ts";
import { say } from "#test/support/messaging/inbound-texts.ts";
import { aCarrier, accepted, drain as drainTexts, withCarrier } from "#test/support/messaging/sending.ts";

const QUOTE = "take me off your list";

/** Calls in which the contact wants no more of us; whether the agent may have said so. */
function stopsInCalls(quote = QUOTE) {
  const confirmed: boolean[] = [];
  const line = aLine((plan) => ({
    during: (on) =>
      on({ kind: "opt_out", quote, at: plan.now }).then(
        () => void confirmed.push(true),
        () => void confirmed.push(false),
      ),
    report: { requests: { optOut: { quote } } },
  }));
  return { line, confirmed };
}

/** What stands for a phone. */
const consentOf = async ({ client }: Calling, at = phone(0)) =>
  (
    await client.query(
      "select opted_out_at is not null as is_out, opt_out_source, opt_out_quote, doubted_at is not null as in_doubt from consents where phone = $1",
      [at],
    )
  ).rows[0];

const OUT = { is_out: true, opt_out_source: "call", opt_out_quote: QUOTE, in_doubt: false };

/** A context that can write everything but opt-outs. */
const unable = (ctx: Context): Context =>
  withFailing(ctx, ({ name }) => (name === "set-opt-out" ? new Error("the table is locked") : undefined));

/** Has a call whose opt-out could not be written. */
async function doubted(calling: Calling): Promise<void> {
  await drain(unable(calling.with(stopsInCalls().line)), calling.lane);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
}

const judge = (calling: Calling, at = phone(0)) =>
  judgeOptOut(calling.ctx, { tenantId: calling.tenantId, phone: at }, new AbortController().signal);

/** A campaign that texts the first contact; its lane. */
async function aTexting({ api, client, tenantId }: Calling) {
  await aCampaign(api, { contacts: [{ phone_number: phone(0) }] });
  const { rows } = await client.query("select lane_id from campaigns where channel = 'sms'");
  return { tenantId, laneId: rows[0].lane_id };
}

const optOutsOf = async ({ client }: Calling) =>
  (await client.query("select source, quote from consent_records where event = 'revoked'")).rows;

const erasedOptOuts = async ({ client }: Calling) =>
  (
    await client.query(
      "select opt_out_source, opted_out_at is not null as is_out from erased_phones where erased_at > 'epoch'",
    )
  ).rows;

async function eraseContact(calling: Calling): Promise<void> {
  const { rows } = await calling.client.query("select id from contacts");
  await deleteContact(calling.ctx, { tenantId: calling.tenantId }, rows[0].id);
}

test("a call ends though its opt-out cannot be written, and its phone is in doubt until it is", async (t) => {
  const calling = await aCalling(t, 1);
  const { line, confirmed } = stopsInCalls();
  await drain(unable(calling.with(line)), calling.lane);
  assert.deepEqual(confirmed, [false]);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  assert.deepEqual(await consentOf(calling), {
    is_out: false,
    opt_out_source: null,
    opt_out_quote: null,
    in_doubt: true,
  });
});

test("a call ends though the journal cannot be written", async (t) => {
  const calling = await aCalling(t, 1);
  const { line, confirmed } = stopsInCalls();
  const own = calling.with(line);
  const append: Context["journal"]["append"] = async (entry) => {
    if (entry.kind === "opt_out") throw new Error("no space left on device");
  };
  await drain({ ...own, journal: { append } }, calling.lane);
  assert.deepEqual(confirmed, [false]);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  assert.equal((await consentOf(calling)).in_doubt, true);
});

test("a database that is away for a moment costs neither the opt-out nor the call's end", async (t) => {
  const calling = await aCalling(t, 1);
  const { line, confirmed } = stopsInCalls();
  let left = 3;
  const ctx = withFailing(calling.with(line), ({ name }) => (name === "set-opt-out" && left-- > 0 ? AWAY : undefined));
  await drain(ctx, calling.lane);
  assert.deepEqual(confirmed, [true]);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  assert.deepEqual(await consentOf(calling), OUT);
});

test("while a phone is in doubt nothing leaves for it, until a worker has written the opt-out", async (t) => {
  const calling = await aCalling(t, 1);
  await doubted(calling);
  const lane = await aTexting(calling);
  const carrier = aCarrier(accepted);
  await drainTexts(withCarrier(calling.ctx, carrier), lane);
  assert.deepEqual(carrier.handed, []);
  const text = async () => (await calling.client.query("select state, rule from messages where kind = 'start'")).rows;
  assert.deepEqual(await text(), [{ state: "held", rule: "opt_out_in_doubt" }]);
  const { body } = await calling.api.get(`/v1/consents/${encodeURIComponent(phone(0))}`);
  assert.equal(body.consent.in_doubt, true);
  const asked = await calling.client.query("select from graphile_worker.jobs where task_identifier = 'judge-opt-out'");
  assert.equal(asked.rowCount, 1);
  await judge(calling);
  await judge(calling);
  assert.deepEqual(await consentOf(calling), OUT);
  assert.deepEqual(await optOutsOf(calling), [{ source: "call", quote: QUOTE }]);
  assert.deepEqual(await text(), [{ state: "suppressed", rule: "opted_out" }]);
  assert.deepEqual(await states(calling.client, "threads"), { opted_out: 2 });
});

test("neither a START nor a STOP by text, nor an older consent, ends a doubt that comes from a call", async (t) => {
  const calling = await aCalling(t, 1);
  await doubted(calling);
  await aTexting(calling);
  const { rows } = await calling.client.query("select doubted_at from consents");
  const saidAt = (ms: number) => new Date(rows[0].doubted_at.getTime() + ms);
  await say(calling, calling.ctx, phone(0), "START", saidAt(1_000));
  assert.deepEqual(await consentOf(calling), {
    ...OUT,
    is_out: false,
    opt_out_source: null,
    opt_out_quote: null,
    in_doubt: true,
  });
  await say(calling, calling.ctx, phone(0), "STOP", saidAt(-1_000));
  assert.deepEqual(await consentOf(calling), {
    ...OUT,
    opt_out_source: "keyword",
    opt_out_quote: "STOP",
    in_doubt: true,
  });
  const consent = { basis: "express_written", source: "a form", proof: "form 7", resubscribe: true };
  const older = { ...consent, obtained_at: saidAt(-500).toISOString() };
  assert.equal((await calling.api.put(`/v1/consents/${encodeURIComponent(phone(0))}`, older)).status, 409);
  await judge(calling);
  assert.deepEqual(await consentOf(calling), OUT);
});

test("who is erased while in doubt stays opted out, as one who has said it in a call", async (t) => {
  const calling = await aCalling(t, 1);
  await doubted(calling);
  await eraseContact(calling);
  await judge(calling);
  assert.equal((await calling.client.query("select from consents")).rowCount, 0);
  assert.deepEqual(await erasedOptOuts(calling), [{ opt_out_source: "call", is_out: true }]);
});

test("who is erased before a phone can be put in doubt is opted out as a hash", async (t) => {
  const calling = await aCalling(t, 1);
  const { line } = stopsInCalls();
  const { begin } = line;
  const observed = (on: CallObserver): CallObserver => {
    return async (event) => {
      if (event.kind === "opt_out") await eraseContact(calling);
      return on(event);
    };
  };
  line.begin = (plan, on, mayLeave) => begin(plan, observed(on), mayLeave);
  const failures = [new Error("not now")];
  const ctx = withFailing(calling.with(line), ({ name }) =>
    name === "opt-out-erased-phone" ? failures.shift() : undefined,
  );
  await drain(ctx, calling.lane);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  assert.equal((await calling.client.query("select from consents")).rowCount, 0);
  assert.deepEqual(await erasedOptOuts(calling), [{ opt_out_source: "call", is_out: true }]);
});

test("a doubt that cannot be written at first is tried again, and holds up no call's end", async (t) => {
  const calling = await aCalling(t, 1);
  const failures = [new Error("not now"), new Error("nor now")];
  const ctx = withFailing(unable(calling.with(stopsInCalls().line)), ({ name }) =>
    name === "set-doubt-of-call" ? failures.shift() : undefined,
  );
  await drain(ctx, calling.lane);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  await until("it is in doubt", async () => (await consentOf(calling))?.in_doubt, 15_000);
});

test("an opt-out that takes too long is given up by its call, and written after it", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const own = calling.with(line);
  await drain(own, calling.lane);
  const ctx = withFailing(own, ({ name }) => (name === "set-opt-out" ? AWAY : undefined));
  const said = { callId: line.begun[0]!.callId, phone: phone(0), quote: QUOTE, at: new Date() };
  assert.equal(await recordOptOut(ctx, calling.tenantId, said, 1), false);
  await finishCalls(ctx, 60_000);
  assert.equal((await consentOf(calling)).in_doubt, true);
  await judge(calling);
  assert.deepEqual(await consentOf(calling), OUT);
});

test("words that cannot be stored cost no opt-out", async (t) => {
  const calling = await aCalling(t, 1);
  const { line, confirmed } = stopsInCalls("take me\0 off your list");
  await drain(calling.with(line), calling.lane);
  assert.deepEqual(confirmed, [true]);
  assert.deepEqual(await consentOf(calling), OUT);
});
