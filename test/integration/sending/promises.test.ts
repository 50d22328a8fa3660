import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { wire } from "#app/context.ts";
import { liveTenant } from "#domain/accounts/modes.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { AppError } from "#domain/values/errors.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import type { Caller, Context } from "#operations/context.ts";
import { writeMessage } from "#operations/messaging/converse.ts";
import { fetchMedia } from "#operations/messaging/fetch-media.ts";
import { connectCarrier, rotateCarrier } from "#operations/numbers/connect-carrier.ts";
import { createCarrier } from "#operations/numbers/create-carrier.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { anAgent } from "#test/support/campaigns/campaign.ts";
import { type MediaHost, PNG, startMediaHost } from "#test/support/carriers/media-host.ts";
import type { Engine, Peer, PeerRow } from "#test/support/carriers/peer.ts";
import { simulatorRow } from "#test/support/carriers/simulated/peer.ts";
import { smppRow } from "#test/support/carriers/smpp/peer.ts";
import { telnyxRow } from "#test/support/carriers/telnyx/peer.ts";
import { twilioRow } from "#test/support/carriers/twilio/peer.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** Every carrier keeps the same promises, or says why one is not for it. Another carrier is another row. */
const ROWS: readonly PeerRow[] = [simulatorRow, twilioRow, telnyxRow, smppRow];

const A_MINUTE_MS = 61_000;
/** Past the settle time of a doubt, and past the time in which a carrier calls back. */
const SETTLED_MS = 2 * 61_000;
const PAST_CALLBACKS_MS = 3_600_000;
/** A gateway reports for a day: its time passes by itself, for by the clock it would be a day on which somebody may not be texted. */
const PAST_CALLBACKS = "update attempts set check_at = check_at - interval '1 day' where state = 'uncertain'";

type Bench = Engine & {
  peer: Peer;
  mediaHost: MediaHost;
  client: pg.Client;
  caller: Caller;
  carrierId: Uuid | undefined;
  /** Whether it can be asked about a text whose answer was lost. */
  canAsk: boolean;
  another: Context;
  ahead(ms: number): void;
  /** Phones of their own, and a campaign to them. */
  phones(n: number): string[];
  campaign(phones: readonly string[], text?: string): Promise<string>;
  /** Sends what is due. */
  drain(ctx?: Context): Promise<void>;
  recover(): Promise<void>;
  stateOf(phone: string): Promise<{ state: string; reason: string | null }>;
  times(phone: string): Promise<number>;
};

async function aBench(t: TestContext, row: PeerRow): Promise<Bench> {
  const begun = workingNoon(new Date()).getTime();
  let aheadMs = 0;
  const now = () => new Date(begun + aheadMs);
  const mediaHost = await startMediaHost(t);
  const { hosts, open } = await row.start(t, now, mediaHost);
  const port = String(await aFreePort());
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = {
    PORT: port,
    PARLEY_PUBLIC_URL: publicUrl,
    PARLEY_CARRIER_HOSTS: JSON.stringify(hosts),
    PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1",
  };
  const api = await startParley(t, env, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const aContext = (): Context => {
    const { ctx, close } = wire(api.config, api.databaseUrl, "test");
    t.after(close);
    return { ...ctx, now };
  };
  const [ctx, another] = [aContext(), aContext()];
  const isLive = open({ ctx, tenantId: "", query: async () => [], databaseUrl: api.databaseUrl }).account !== undefined;
  const owner = isLive ? await anotherTenant(api, "live") : api;
  const tenantId = parseId("tenant", (await owner.get("/v1/me")).body.tenant_id)!;
  const query = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;
  const engine: Engine = { ctx, tenantId, query, databaseUrl: api.databaseUrl };
  const peer = open(engine);
  const mode = isLive ? ("live" as const) : ("test" as const);
  const caller: Caller = {
    ...{ tenantId: liveTenant({ tenantId, mode }) ?? tenantId, accountId: tenantId, keyId: tenantId, mode },
    ...({ scopes: ["admin"], organizations: undefined, newId: ctx.newId } as const),
  };
  const signal = new AbortController().signal;
  let carrierId: Uuid | undefined;
  let canAsk = ctx.carriers.simulator.capabilities.lookupByRef;
  if (peer.account) {
    const made = await createCarrier(ctx, caller, { name: row.name, organizationId: null, ...peer.account });
    await connectCarrier(ctx, caller, made.id, { replace: false, dryRun: false }, signal);
    carrierId = made.id;
    const opened = await ctx.carriers.accounts.open(liveTenant({ tenantId, mode: "live" })!, made.carrier, {
      tx: ctx.db,
    });
    canAsk = opened!.sms!.capabilities.lookupByRef;
  }
  const agent = await anAgent(owner);
  let phones = 0;
  const drainAll = async (by: Context): Promise<void> => {
    // The bucket of a lane fills by the clock, which stands still here.
    await peer.connected?.();
    await query("update lanes set per_second = null");
    for (const { id } of await query("select id from lanes where tenant_id = $1", [tenantId])) {
      await drainLane(by, { tenantId, laneId: String(id) }, signal);
    }
  };
  return {
    ...engine,
    ...{ peer, mediaHost, client, caller, carrierId, canAsk, another },
    ahead: (ms) => {
      aheadMs += ms;
    },
    phones: (n) => Array.from({ length: n }, () => `+1212444${String(++phones).padStart(4, "0")}`),
    async campaign(to, text) {
      const { organizationId, userId, agentId } =
        text === undefined ? agent : await anAgent(owner, { starting_message: text });
      const body = {
        ...{ campaign_name: "Promises", organization_id: organizationId, user_id: userId },
        ...{ sms_agent_id: agentId, svc_sms_number: peer.sender },
        contacts: to.map((phone_number) => ({ phone_number })),
      };
      return String((await createCampaign(ctx, caller, {}, Buffer.from(JSON.stringify(body)))).campaign_id);
    },
    drain: (by = ctx) => drainAll(by),
    recover: () => recoverAttempts(ctx, signal),
    async stateOf(phone) {
      const [message] = await query(
        "select state, reason from messages where phone = $1 and direction = 'outbound' and kind = 'start' order by created_at desc",
        [phone],
      );
      return message as { state: string; reason: string | null };
    },
    times: async (phone) => (await peer.taken()).filter(({ to }) => to === phone).length,
  };
}

/** Undefined: it is kept. Else why it is not for this carrier; what is broken throws. */
type Promised = (bench: Bench) => Promise<string | undefined>;

const UNASKABLE = "it cannot be asked: a webhook settles it, or it is shown as unknown and not sent again";

/** A text whose answer was lost after it was taken: asked about, or settled by its receipt; never sent twice. */
const uncertain =
  (wrong: "taken_then_error" | "taken_then_reset"): Promised =>
  async (bench) => {
    const [settled, left] = bench.phones(2) as [string, string];
    for (const phone of [settled, left]) {
      const reason = await bench.peer.behave(phone, wrong);
      if (reason) return reason;
    }
    await bench.campaign([settled, left]);
    await bench.drain();
    if (!bench.canAsk) await bench.peer.report(settled, "delivered");
    bench.ahead(SETTLED_MS);
    await bench.recover();
    if (!bench.canAsk) {
      bench.ahead(PAST_CALLBACKS_MS);
      await bench.query(PAST_CALLBACKS);
      await bench.recover();
    }
    await bench.drain();
    assert.deepEqual([await bench.times(settled), await bench.times(left)], [1, 1]);
    assert.match((await bench.stateOf(settled)).state, /^(?:accepted|sent|delivered)$/);
    assert.match((await bench.stateOf(left)).state, bench.canAsk ? /^(?:accepted|sent|delivered)$/ : /^unknown$/);
    // A webhook that comes after all settles that, too.
    await bench.peer.report(left, "delivered");
    assert.equal((await bench.stateOf(left)).state, "delivered");
    return undefined;
  };

const PROMISES: Record<string, Promised> = {
  "once, by two processes at a time": async (bench) => {
    const phones = bench.phones(40);
    await bench.campaign(phones);
    await Promise.all([bench.drain(), bench.drain(bench.another)]);
    await bench.drain();
    for (const phone of phones) assert.equal(await bench.times(phone), 1, phone);
    return undefined;
  },
  "texts arrive as they were written, in any encoding and length": async (bench) => {
    const texts = ["Price: 5€ [a] ~c^ \\d|", "Ça va? 你好 🙂👍🏽", `Long: ${"abcdefghi ".repeat(45)}end`];
    for (const text of texts) {
      const [phone] = bench.phones(1) as [string];
      await bench.campaign([phone], text);
      await bench.drain();
      const got = (await bench.peer.taken()).filter(({ to }) => to === phone).map((taken) => taken.text);
      assert.deepEqual([got.length, got[0]?.startsWith(text)], [1, true], got[0]);
    }
    return undefined;
  },
  "states only rise: receipts twice, late and out of order": async (bench) => {
    const [good, bad] = bench.phones(2) as [string, string];
    await bench.campaign([good, bad]);
    await bench.drain();
    assert.equal((await bench.stateOf(good)).state, "accepted");
    await bench.peer.report(good, "sent", 2);
    assert.equal((await bench.stateOf(good)).state, "sent");
    await bench.peer.report(good, "delivered", 2);
    await bench.peer.report(good, "sent");
    assert.equal((await bench.stateOf(good)).state, "delivered");
    await bench.peer.report(bad, "undelivered", 2);
    assert.match((await bench.stateOf(bad)).state, /^(?:undelivered|failed)$/);
    return undefined;
  },
  "a receipt that comes before the answer": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    const reason = await bench.peer.behave(phone, "receipt_first");
    if (reason) return reason;
    await bench.campaign([phone]);
    await bench.drain();
    // Over a session it comes beside the answer, and may be taken in after it.
    await until("its receipt counts", async () => (await bench.stateOf(phone)).state === "delivered");
    assert.equal(await bench.times(phone), 1);
    return undefined;
  },
  "an error after it was taken": uncertain("taken_then_error"),
  "a reset after it was taken": uncertain("taken_then_reset"),
  "an error before it was taken": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    const reason = await bench.peer.behave(phone, "error");
    if (reason) return reason;
    await bench.campaign([phone]);
    await bench.drain();
    for (const ms of [SETTLED_MS, PAST_CALLBACKS_MS]) {
      bench.ahead(ms);
      await bench.recover();
      if (!bench.canAsk) await bench.query(PAST_CALLBACKS);
    }
    await bench.recover();
    assert.equal(await bench.times(phone), 0);
    assert.equal((await bench.stateOf(phone)).state, bench.canAsk ? "scheduled" : "unknown");
    if (!bench.canAsk) return UNASKABLE;
    await bench.drain();
    assert.deepEqual([await bench.times(phone), (await bench.stateOf(phone)).state], [1, "accepted"]);
    return undefined;
  },
  "too many: it waits, and is sent once": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    const reason = await bench.peer.behave(phone, "rate_limited");
    if (reason) return reason;
    await bench.campaign([phone]);
    await until("the text was taken", async () => {
      await bench.drain();
      bench.ahead(1_000);
      return (await bench.times(phone)) === 1;
    });
    await bench.drain();
    assert.deepEqual([await bench.times(phone), (await bench.stateOf(phone)).state], [1, "accepted"]);
    return undefined;
  },
  "after a STOP nothing leaves": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    await bench.campaign([phone]);
    await bench.drain();
    await bench.peer.receive(phone, "STOP", `stop ${phone}`);
    await bench.peer.receive(phone, "STOP", `stop ${phone}`);
    await bench.drain();
    const before = await bench.times(phone);
    assert.ok(before <= 2, "at most one confirmation");
    await bench.campaign([phone]);
    await bench.drain();
    assert.equal(await bench.times(phone), before);
    const [consent] = await bench.query("select opted_out_at is not null as out from consents where phone = $1", [
      phone,
    ]);
    assert.deepEqual(consent, { out: true });
    return undefined;
  },
  "who has opted out with the carrier has opted out": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    const reason = await bench.peer.behave(phone, "opted_out");
    if (reason) return reason;
    await bench.campaign([phone]);
    await bench.drain();
    const [consent] = await bench.query("select opt_out_source as source from consents where phone = $1", [phone]);
    assert.deepEqual([consent, await bench.times(phone)], [{ source: "carrier" }, 0]);
    return undefined;
  },
  "a code that nobody knows is a refusal with the code": async (bench) => {
    const [phone, next] = bench.phones(2) as [string, string];
    const reason = await bench.peer.behave(phone, "unknown_code");
    if (reason) return reason;
    await bench.campaign([phone, next]);
    await bench.drain();
    const { state, reason: code } = await bench.stateOf(phone);
    assert.deepEqual([state, /^[\w.-]+$/.test(code ?? ""), await bench.times(next)], ["failed", true, 1]);
    return undefined;
  },
  "a text comes in once, however often it is brought": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    await bench.campaign([phone]);
    await bench.drain();
    await Promise.all([1, 2, 3].map(() => bench.peer.receive(phone, "Yes, please", `yes ${phone}`)));
    const [{ n }] = (await bench.query(
      "select count(*)::int as n from messages where phone = $1 and direction = 'inbound'",
      [phone],
    )) as [{ n: number }];
    assert.equal(n, 1);
    return undefined;
  },
  "pictures that come in are kept once, and what cannot be had says why": async (bench) => {
    const { peer, mediaHost, ctx, tenantId } = bench;
    if (!peer.receiveMedia) return "it brings no pictures";
    const [phone] = bench.phones(1) as [string];
    await bench.campaign([phone]);
    await bench.drain();
    mediaHost.files.set("/cat.png", { type: "image/png", bytes: PNG });
    mediaHost.files.set("/page", { type: "text/html", bytes: Buffer.from("<script>alert(1)</script>") });
    mediaHost.files.set("/large", { type: "image/png", endless: 6 * 1024 * 1024 });
    mediaHost.files.set("/inside", { redirect: "http://127.0.0.1:5432/" });
    const names = ["cat.png", "gone.png", "page", "large", "inside"];
    for (let n = 0; n < 2; n++) await peer.receiveMedia(phone, "", `pictures ${phone}`, names);
    const [message, ...more] = await bench.query(
      "select id, text from messages where phone = $1 and direction = 'inbound'",
      [phone],
    );
    assert.deepEqual([message?.text, more.length], ["", 0]);
    const about = "select state, content_type, bytes, problem from message_media where message_id = $1 order by id";
    const waiting = await bench.query(about, [message!.id]);
    assert.deepEqual(
      waiting.map(({ state }) => state),
      names.map(() => "waiting"),
      "noted with the text itself",
    );
    const payload = { tenantId, messageId: String(message!.id) };
    for (let n = 0; n < 2; n++) await fetchMedia(ctx, payload, new AbortController().signal);
    const kept = await bench.query(about, [message!.id]);
    assert.deepEqual(
      kept.map(({ state, problem }) => problem ?? state),
      [
        "kept",
        "The carrier does not have it any more (404)",
        "It is of a type that is not kept: text/html",
        "It is larger than 5 MB",
        "It is at a host that is not the carrier's: 127.0.0.1",
      ],
    );
    assert.deepEqual([kept[0]!.content_type, kept[0]!.bytes], ["image/png", PNG.length]);
    assert.equal(mediaHost.requests.filter(({ path }) => path === "/cat.png").length, 1);
    assert.ok(mediaHost.requests.every(({ headers }) => headers.authorization === undefined));
    return undefined;
  },
  "pictures go out with a person's text, once, also where the answer was lost": async (bench) => {
    const { peer, ctx, caller, query } = bench;
    const urls = ["https://cdn.example.com/plan.png", "https://cdn.example.com/roof.jpg?w=800&h=600"];
    const [fine, lost] = bench.phones(2) as [string, string];
    const id = await bench.campaign([fine, lost]);
    await bench.drain();
    const write = (phone: string) => writeMessage(ctx, caller, `${phone}_${id}`, "Here is the plan", urls);
    const refusal = await write(fine).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal instanceof AppError && refusal.code === "invalid_request" && /MMS/.test(refusal.message))
      return "its numbers send none: refused with a sentence";
    assert.equal(refusal, undefined);
    await peer.behave(lost, "taken_then_error");
    await write(lost);
    await bench.drain();
    if (!bench.canAsk) await peer.report(lost, "delivered");
    bench.ahead(SETTLED_MS);
    await bench.recover();
    await bench.drain();
    for (const phone of [fine, lost]) {
      const texts = (await peer.taken()).filter(({ to }) => to === phone);
      assert.equal(texts.length, 2, "the starting message and a person's");
      assert.deepEqual([texts[0]!.media, texts[1]!.media], [[], urls]);
      const [sent] = await query("select state, segments from messages where phone = $1 and kind = 'human'", [phone]);
      assert.match(String(sent!.state), /^(?:accepted|sent|delivered)$/);
      assert.equal(sent!.segments, 1);
    }
    return undefined;
  },
  "what is not signed by the carrier is refused": async (bench) => {
    const [phone] = bench.phones(1) as [string];
    await bench.campaign([phone]);
    await bench.drain();
    const status = await bench.peer.forge(phone, "STOP");
    if (typeof status === "string") return status;
    const rows = await bench.query("select from messages where phone = $1 and direction = 'inbound'", [phone]);
    assert.deepEqual([status, rows.length], [403, 0]);
    return undefined;
  },
  "credentials refused in mid-campaign: it pauses with the reason, and goes on with nothing twice": async (bench) => {
    const phones = bench.phones(12);
    const newer = await bench.peer.changeCredentials();
    if (typeof newer === "string") return newer;
    const id = await bench.campaign(phones);
    await bench.drain();
    const [campaign] = await bench.query("select status, pause_reason from campaigns where pause_reason is not null");
    assert.deepEqual(campaign, { status: "paused", pause_reason: "carrier_key_refused" });
    await rotateCarrier(bench.ctx, bench.caller, bench.carrierId!, newer, new AbortController().signal);
    await resumeCampaign(bench.ctx, bench.caller, id);
    bench.ahead(A_MINUTE_MS);
    await until("all of them were taken", async () => {
      await bench.drain();
      bench.ahead(1_000);
      return (await Promise.all(phones.map((phone) => bench.times(phone)))).every((n) => n > 0);
    });
    for (const phone of phones) assert.equal(await bench.times(phone), 1, phone);
    return undefined;
  },
};

test("every carrier keeps the same promises, or says why one is not for it", async (t) => {
  const table = new Map(Object.keys(PROMISES).map((title) => [title, [] as string[]]));
  for (const row of ROWS) {
    await t.test(row.name, async (t) => {
      const bench = await aBench(t, row);
      for (const [title, promised] of Object.entries(PROMISES)) {
        await t.test(title, async () => {
          const reason = await promised(bench);
          table.get(title)!.push(`${row.name}: ${reason ?? "yes"}`);
        });
      }
      const texts = await bench.peer.taken();
      const starts = new Map<string, number>();
      for (const { to } of texts) starts.set(to, (starts.get(to) ?? 0) + 1);
      assert.ok(
        [...starts.values()].every((n) => n <= 2),
        "a text and a confirmation at most",
      );
      await assertLedger(bench.client);
    });
  }
  for (const [title, said] of table) t.diagnostic(`${title} | ${said.join(" | ")}`);
});
