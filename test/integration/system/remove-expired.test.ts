import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { NO_ID } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { removeExpired } from "#operations/system/remove-expired.ts";
import * as walks from "#store/system/retention-walks.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignIs, gets, moveClock, quiet, says, textsTo } from "#test/support/messaging/handset.ts";
import { assertCounts } from "#test/support/messaging/ledger.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const DAY_MS = 86_400_000;
const KEPT = { messages_days: null, calls_days: null, recordings_days: null, events_days: null, requests_days: null };
type Fields = Record<string, unknown>;

async function keepFor(api: Pick<Parley, "put">, days: Fields): Promise<void> {
  const { status, body } = await api.put("/v1/retention", { ...KEPT, ...days });
  assert.equal(status, 200, JSON.stringify(body));
}

function contextOf(t: { after(work: () => Promise<void>): void }, api: Parley): Context {
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  return ctx;
}

const run = (ctx: Context): Promise<boolean> => removeExpired(ctx, new AbortController().signal);

test("texts of campaigns that are over go after their days, and what depends on them stays", async (t) => {
  // Nobody removes but this test; what else a worker does goes on.
  const api = await startParley(t);
  const ctx = contextOf(t, api);
  const sql = await openClient(t, api.databaseUrl);
  const count = async (from: string) => (await sql.query(`select count(*)::int as n from ${from}`)).rows[0].n as number;
  await aNoon(api);
  const [talks, stops, silent, open] = ["+12125550131", "+12125550132", "+12125550133", "+12125550134"];
  const { campaignId, organizationId, userId, agentId } = await aCampaign(api, {
    contacts: [talks, stops, silent].map((phone_number) => ({ phone_number })),
    agent: { reply_delay_ms: 0 },
  });
  await gets(api, silent, 1);
  await gets(api, talks, 1);
  await gets(api, stops, 1);
  await says(api, talks, "Who is this?");
  await gets(api, talks, 2);
  await says(api, stops, "STOP");
  await gets(api, stops, 2);
  await campaignIs(api, campaignId, "completed");
  const going = await aCampaign(api, {
    contacts: [{ phone_number: open }],
    agent: { drip_schedule: [{ day: 90, message: "Still there?" }] },
  });
  await gets(api, open, 1);
  await quiet(api);
  // Found out, counted and reported what there is, as some seconds later anyway.
  await until("nothing is to be extracted", async () => {
    await moveClock(api, { advance_ms: 60_000 });
    return (await count("threads where extraction_due_at is not null or reply_due_at is not null")) === 0;
  });
  await until("everything is counted", async () => {
    const { rows } = await sql.query(
      "select from event_heads head join activity_heads counted using (tenant_id) where head.seq > counted.seq",
    );
    return rows.length === 0;
  });
  const figures = async () => ({
    analytics: (await api.get(`/v1/campaigns/${campaignId}/analytics`)).body.analytics,
    campaign: (await api.get(`/v1/campaigns/${campaignId}`)).body.campaign,
    activity: (await sql.query("select measure, sum(n)::int as n from activity_counts group by 1 order by 1")).rows,
    consents: await count("consent_records"),
  });
  const before = await figures();
  assert.ok(before.analytics.received >= 2, JSON.stringify(before.analytics));
  const messages = await count("messages");
  const { rows: found } = await sql.query("select id from campaigns where campaign_id = $1", [campaignId]);
  const ofCampaign = `campaign_id = '${found[0].id}'`;

  await keepFor(api, { messages_days: 30 });
  await moveClock(api, { advance_ms: 29 * DAY_MS });
  const walked = async () => {
    const { rows } = await sql.query("select before from retention_walks where place is null");
    return rows[0]?.before as Date | undefined;
  };
  // A turn may end before the walk does, and the next one then goes on with the walk's own day.
  await until("nothing is too old", async () => {
    await run(ctx);
    return (await walked()) !== undefined;
  });
  assert.equal(await count("messages"), messages, "nothing is removed before its time");
  const first = (await walked())!;

  await moveClock(api, { advance_ms: 3 * DAY_MS });
  await until("what is too old is removed", async () => {
    await run(ctx);
    return ((await walked()) ?? first) > first;
  });
  assert.equal(await count(`messages where ${ofCampaign}`), 0);
  assert.equal(await count(`attempts where ${ofCampaign}`), 0);
  assert.equal(await count(`inbound_texts`), 0);
  assert.ok((await count(`messages where not ${ofCampaign}`)) >= 2, "nothing of a campaign that is not over");
  assert.ok((await count(`attempts where not ${ofCampaign}`)) >= 1);
  await assertCounts(sql);
  assert.deepEqual(await figures(), before);
  assert.equal(await count(`consents where phone = '${stops}' and opted_out_at is not null`), 1);
  const { rows: entries } = await sql.query(
    "select actor, object, content from audit_entries where operation = 'removeOld' and object = 'messages'",
  );
  assert.equal(entries.length, 1);
  assert.equal(entries[0].content.counts.messages, messages - (await count("messages")));

  await t.test("a campaign that goes on again sends nobody anything twice", async () => {
    const added = "+12125550135";
    const { status, body } = await api.post(`/v1/campaigns/${campaignId}/leads`, {
      leads: [talks, silent, added].map((phone_number) => ({ phone_number })),
    });
    assert.equal(status, 202, JSON.stringify(body));
    // At once: a campaign whose last text has left is completed, and is not paused any more.
    const path = `/v1/campaigns/${campaignId}`;
    assert.equal((await api.post(`${path}/pause`)).status, 200);
    const changed = await api.post("/v1/agents", {
      ...{ agent_type: "sms", agent_name: "Ava", prompt: "Sell.", starting_message: "Hi, this is Ava." },
      ...{ organization_id: organizationId, user_id: userId },
      drip_schedule: [{ day: 1, message: "Again" }],
    });
    assert.equal(changed.status, 201, JSON.stringify(changed.body));
    assert.notEqual(changed.body.agent_id, agentId);
    const edited = await api.patch(path, { sms_agent_id: changed.body.agent_id });
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    assert.equal((await api.post(`${path}/resume`)).status, 200);
    await aNoon(api);
    await gets(api, added, 1);
    await moveClock(api, { advance_ms: 3 * DAY_MS });
    await aNoon(api);
    await gets(api, added, 2);
    await quiet(api);
    assert.equal((await textsTo(api, silent)).length, 1);
    assert.equal((await textsTo(api, talks)).length, 2);
  });

  await t.test("who writes again is answered, and has not answered for the first time", async () => {
    const replied = async () => (await figures()).activity.find(({ measure }: Fields) => measure === "replied")?.n;
    const was = await replied();
    await says(api, talks, "Hello? Who are you?");
    await gets(api, talks, 3);
    await until("it is counted", async () => (await figures()).analytics.received > before.analytics.received);
    await quiet(api);
    assert.equal(await replied(), was);
    assert.ok((await count(`messages where ${ofCampaign} and direction = 'inbound'`)) >= 1);
  });

  // The other campaign is what it was.
  assert.notEqual((await api.get(`/v1/campaigns/${going.campaignId}`)).body.campaign.status, "completed");
});

test("calls and recordings go after their days, with the files, and the campaign's figures stay", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ctx = contextOf(t, api);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const now = new Date();
  const ago = (days: number, minutes = 0) => new Date(now.getTime() - days * DAY_MS - minutes * 60_000);
  const over = await insertVoiceCampaign(sql, of, "over");
  const goingOn = await insertVoiceCampaign(sql, of, "going-on");
  await sql.query("update campaigns set created_at = $1", [ago(100)]);
  await sql.query("update campaigns set status = 'paused' where id = $1", [goingOn]);
  const folder = join(api.config.dataDir, "recordings", "old");
  mkdirSync(folder, { recursive: true });
  const recorded = (name: string) => {
    writeFileSync(join(folder, `${name}.wav`), "sound");
    return { recording: `old/${name}.wav`, recording_bytes: 5, recording_ms: 10_000, cost: { total: "0.0123" } };
  };
  const isThere = (name: string) => existsSync(join(folder, `${name}.wav`));
  const failed = { status: "not_connected", duration_ms: 0, answered_at: null, answerer: null, analysed_at: null };
  const ids = await insertCalls(sql, of, [
    ...[10, 20, 30, 40].map((seconds, i) => ({
      ...{ campaign_id: over, start_at: ago(50, i), duration_ms: seconds * 1_000, successful: i < 2 },
      detail: recorded(`a${i}`),
    })),
    { campaign_id: over, start_at: ago(49), reason: "voicemail_reached", in_voicemail: true, duration_ms: 3_000 },
    { campaign_id: over, start_at: ago(48), ...failed, reason: "dial_busy", sentiment: "Unknown" },
    { campaign_id: over, start_at: ago(5), duration_ms: 25_000, detail: recorded("recent") },
    { campaign_id: goingOn, start_at: ago(50, 10), detail: recorded("open") },
    { campaign_id: NO_ID, start_at: ago(50, 11), detail: recorded("single") },
    { campaign_id: NO_ID, start_at: ago(50, 12), analysed_at: null, detail: recorded("unjudged") },
  ]);
  const analytics = async () => (await api.get("/v1/voice/campaigns/over/analytics")).body.analytics;
  const before = await analytics();
  assert.deepEqual([before.calls, before.connected, before.duration_ms.p95, before.cost], [7, 5, 40_000, "0.0615"]);
  const left = async () => (await sql.query("select id from calls order by start_at")).rows.map(({ id }) => id);

  await keepFor(api, { recordings_days: 40 });
  await run(ctx);
  assert.equal((await left()).length, ids.length, "the calls stay");
  assert.deepEqual(["a0", "a1", "a2", "a3", "open", "single", "unjudged", "recent"].map(isThere), [
    false,
    false,
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
  assert.equal((await sql.query("select from doomed_objects")).rows.length, 0);
  assert.deepEqual(await analytics(), before);

  await keepFor(api, { recordings_days: 40, calls_days: 30 });
  await run(ctx);
  // Of the campaign that is not over, and what is still to be judged.
  assert.deepEqual(await left(), [ids[9], ids[7], ids[6]]);
  assert.equal(isThere("recent"), true);
  assert.deepEqual(await analytics(), before);
  const { rows } = await sql.query(
    "select object, content from audit_entries where operation = 'removeOld' order by id",
  );
  assert.deepEqual(
    rows.map((row) => [row.object, row.content.counts]),
    [
      ["recordings", { recordings: 6 }],
      ["calls", { calls: 7 }],
    ],
  );
});

test("a run that is cut off goes on where it was, and what was removed is said once", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ctx = contextOf(t, api);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const CALLS = 5_000;
  await sql.query(
    `insert into calls (tenant_id, id, organization_id, campaign_id, direction, purpose, carrier, agent_id, agent_version, number, phone,
       status, start_at, dialed_at, node_id, created_at)
     select $1, gen_random_uuid(), $2, $3, 'outbound', 'single', 'simulator', $4, 1, '+12125550100', '+12125550123', 'not_connected',
       now() - interval '60 days' + n * interval '1 second', now(), $3, now() from generate_series(1, ${CALLS}) as n`,
    [of.tenantId, of.organizationId, NO_ID, of.agentId],
  );
  const left = async () => (await sql.query("select count(*)::int as n from calls")).rows[0].n as number;
  await keepFor(api, { calls_days: 30 });

  // Dies before its commit: nothing of the piece is removed.
  const dying: Context = {
    ...ctx,
    db: {
      ...ctx.db,
      transaction: (work) =>
        ctx.db.transaction(async (tx) => {
          await work(tx);
          throw new Error("killed");
        }),
    },
  };
  await assert.rejects(run(dying), /killed/);
  assert.equal(await left(), CALLS);

  // Is stopped after its first piece.
  const stop = new AbortController();
  const stopping: Context = {
    ...ctx,
    db: {
      ...ctx.db,
      transaction: async (work) => {
        const done = await ctx.db.transaction(work);
        stop.abort();
        return done;
      },
    },
  };
  await removeExpired(stopping, stop.signal);
  const after = await left();
  assert.ok(after > 0 && after < CALLS, `${after} are left`);

  // Two at once do what one would.
  await until("all are removed", async () => {
    await Promise.all([run(ctx), run(ctx)]);
    return (await left()) === 0;
  });
  await run(ctx);
  const { rows } = await sql.query("select content from audit_entries where operation = 'removeOld'");
  assert.deepEqual(
    rows.map((row) => row.content.counts),
    [{ calls: CALLS }],
  );
});

test("a removal that fails holds up none of another tenant", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ctx = contextOf(t, api);
  const sql = await openClient(t, api.databaseUrl);
  for (const its of [await anotherTenant(api), await anotherTenant(api)]) {
    await keepFor(its, { calls_days: 30 });
    await insertCalls(sql, await aVoiceOwner(its, sql), [{ start_at: new Date(Date.now() - 60 * DAY_MS) }]);
  }
  const [first] = await walks.wanted(ctx.db);
  await sql.query(
    `create function refuse() returns trigger language plpgsql as $$
       begin if old.tenant_id = '${first!.tenant_id}' then raise 'this row stays'; end if; return old; end $$`,
  );
  await sql.query("create trigger refuse before delete on calls for each row execute function refuse()");
  await assert.rejects(run(ctx), /this row stays/);
  const { rows } = await sql.query("select tenant_id from calls");
  assert.deepEqual(rows, [{ tenant_id: first!.tenant_id }]);
});
