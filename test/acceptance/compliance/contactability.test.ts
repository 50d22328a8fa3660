import assert from "node:assert/strict";
import { test } from "node:test";
import { banCommand } from "#app/command/bans.ts";
import { commandContext } from "#app/command/entries.ts";
import { wire } from "#app/context.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignOf, gets, moveClock, quiet, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";

const HOUR_MS = 3_600_000;
/** So long before a time nothing leaves, however slowly that is looked at: the tenant's clock goes on meanwhile. */
const SHORTLY_MS = 300_000;
type Fields = Record<string, unknown>;

const ask = async (api: Pick<Parley, "get">, phone: string, more: Record<string, string> = {}) =>
  api.get(`/v1/contactability?${new URLSearchParams({ phone_number: phone, ...more })}`);

const history = async (api: Pick<Parley, "get">, phone: string, more: Record<string, string> = {}) =>
  (await api.get(`/v1/contactability/history?${new URLSearchParams({ phone_number: phone, ...more })}`)).body;

/** A campaign more, of the agent of another, to the same phone. */
async function once(api: Parley, made: Awaited<ReturnType<typeof anAgent>>, phone: string, more: Fields = {}) {
  const { status, body } = await api.post("/v1/campaigns", {
    campaign_name: "Again",
    organization_id: made.organizationId,
    user_id: made.userId,
    sms_agent_id: made.agentId,
    svc_sms_number: SENDER,
    contacts: [{ phone_number: phone }],
    ...more,
  });
  assert.equal(status, 202, JSON.stringify(body));
  return body.campaign_id as string;
}

/** Runs `parley ban ...` against the service's database; answers with what it says. */
async function ban(api: Parley, ...args: string[]): Promise<string[]> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "cli");
  const said: string[] = [];
  try {
    const as = commandContext(ctx, { name: "parley ban", by: "a test" });
    await banCommand(
      (work) => work(as.ctx, api.config, as.entries),
      (line) => said.push(line),
    )
      .exitOverride()
      .parseAsync(args, { from: "user" });
  } finally {
    await close();
  }
  return said;
}

test("a number may be texted now, until its hours end; at night it says when next, and by which rule and source", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const phone = "+12124510001";
  const day = (await ask(api, phone)).body;
  assert.deepEqual([day.allowed, day.decision, day.rule, day.profile], [true, "allowed", null, "strict"]);
  assert.deepEqual(day.place, { zones: ["America/New_York"], states: ["NY"], basis: "area_code" });
  assert.deepEqual(day.attempts, { count: 0, within_hours: 24, last_at: null });
  assert.equal(clockIn(day.until, "America/New_York"), "20:00");
  assert.equal(day.next_at, day.checked_at);

  await moveClock(api, { to: new Date(noon.getTime() + 14 * HOUR_MS).toISOString() });
  const night = (await ask(api, phone)).body;
  assert.deepEqual([night.allowed, night.decision], [false, "held"]);
  assert.equal(clockIn(night.next_at, "America/New_York"), "09:00");
  assert.equal(night.rule.id, "us_hours");
  assert.deepEqual(
    [night.rule.jurisdiction, night.rule.source, night.rule.strength],
    ["US", "47 CFR 64.1200(c)(1), 16 CFR 310.4(c)", "P"],
  );
  assert.match(night.rule.verified_on, /^\d{4}-\d\d-\d\d$/);
});

test("what it foresees is what happens: the held text leaves at the very time that was named", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  await moveClock(api, { to: new Date(noon.getTime() + 14 * HOUR_MS).toISOString() });
  const phone = "+18505550151";
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: phone }] });
  const { body } = await ask(api, phone, { campaign_id: campaignId });
  assert.deepEqual(body.place.zones, ["America/Chicago", "America/New_York"]);
  // Open in both: nine in Chicago.
  assert.equal(clockIn(body.next_at, "America/Chicago"), "09:00");
  const held = await until("the text is held", async () => {
    const [message] = (await threadOf(api, phone, campaignId)).messages;
    return message.state === "held" && message;
  });
  assert.equal(held.scheduled_for, body.next_at);
  assert.equal(held.rule, body.rule.id);
  await moveClock(api, { to: body.next_at });
  await gets(api, phone, 1);
});

test("without a campaign every contact and list entry of the number counts, within one only its own", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const phone = "+12124510003";
  const east = await aCampaign(api, { contacts: [{ phone_number: phone, state: "NY" }] });
  const west = await aCampaign(api, { contacts: [{ phone_number: phone, state: "CA" }] });
  assert.deepEqual((await ask(api, phone)).body.place.states, ["CA", "NY"]);
  assert.deepEqual((await ask(api, phone, { campaign_id: east.campaignId })).body.place.states, ["NY"]);
  assert.deepEqual((await ask(api, phone, { campaign_id: west.campaignId })).body.place.states, ["CA", "NY"]);
  await api.post("/v1/dnc/add", { phone_number: phone, organization_id: east.organizationId });
  assert.equal((await ask(api, phone)).body.rule.id, "do_not_call");
  assert.equal((await ask(api, phone, { campaign_id: east.campaignId })).body.decision, "blocked");
  assert.equal((await ask(api, phone, { campaign_id: west.campaignId })).body.allowed, true);
});

test("wrong queries are named: no number, an unknown channel, another tenant's campaign", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const other = await anotherTenant(api);
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: "+12124510004" }] });
  for (const path of ["/v1/contactability", "/v1/contactability/history"]) {
    assert.equal((await api.get(path)).status, 400);
    const { status, body } = await api.get(`${path}?phone_number=12`);
    assert.deepEqual([status, body.details[0].field], [400, "phone_number"]);
  }
  assert.equal((await ask(api, "+12124510004", { channel: "fax" })).status, 400);
  assert.equal((await ask(api, "+12124510004", { campaign_id: "none" })).status, 404);
  assert.equal((await ask(other, "+12124510004", { campaign_id: campaignId })).status, 404);
  assert.equal((await api.get("/v1/contactability/history?phone_number=%2B12124510004&pagination_key=x")).status, 400);
});

test("the fourth campaign to one phone in a day is held by the cap with its time, and leaves when that comes", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const phone = "+12124510005";
  const made = await anAgent(api);
  for (let i = 1; i <= 3; i++) {
    await once(api, made, phone);
    await gets(api, phone, i);
    await moveClock(api, { advance_ms: HOUR_MS });
  }
  const fourth = await once(api, made, phone);
  const held = await until("the fourth is held", async () => {
    const [message] = (await threadOf(api, phone, fourth)).messages;
    return message.state === "held" && message;
  });
  assert.equal(held.rule, "strict_attempts");
  const [first] = await textsTo(api, phone);
  // A day after the first attempt, which was claimed a moment before it arrived.
  const frees = Date.parse(held.scheduled_for) - 24 * HOUR_MS;
  assert.ok(frees >= noon.getTime() && frees <= Date.parse(first!.at), `${held.scheduled_for} after ${first!.at}`);
  const asked = (await ask(api, phone)).body;
  assert.deepEqual([asked.rule.id, asked.attempts.count, asked.next_at], ["strict_attempts", 3, held.scheduled_for]);
  await moveClock(api, { to: new Date(Date.parse(held.scheduled_for) - SHORTLY_MS).toISOString() });
  await quiet(api);
  assert.equal((await textsTo(api, phone)).length, 3);
  await moveClock(api, { to: held.scheduled_for });
  await gets(api, phone, 4);
});

test("answers are not counted and not held by a cap, and a STOP ends what the cap holds", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12124510006";
  const made = await anAgent(api, { reply_delay_ms: 0 });
  for (let i = 1; i <= 3; i++) {
    await once(api, made, phone);
    await gets(api, phone, i);
  }
  for (const [i, text] of ["Who is this?", "I want to buy a home."].entries()) {
    await says(api, phone, text);
    await gets(api, phone, 4 + i);
  }
  assert.equal((await ask(api, phone)).body.attempts.count, 3);
  const fourth = await once(api, made, phone);
  await until("the cap holds", async () => (await threadOf(api, phone, fourth)).messages[0].rule === "strict_attempts");
  await says(api, phone, "STOP");
  const stopped = await until("it is withdrawn", async () => {
    const [message] = (await threadOf(api, phone, fourth)).messages;
    return message.state === "suppressed" && message;
  });
  assert.equal(stopped.rule, "opted_out");
  const { body } = await ask(api, phone);
  assert.deepEqual([body.decision, body.rule.id, body.next_at, body.until], ["blocked", "opted_out", null, null]);
});

test("a ban holds outreach in its state for tenants that it is about, answers go, and once lifted the texts leave", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const other = await anotherTenant(api);
  await other.post("/v1/simulator/clock", { to: noon.toISOString() });
  const { tenant_id } = (await api.get("/v1/me")).body;
  const phone = "+15044510007";
  const open = await aCampaign(api, { contacts: [{ phone_number: phone }], agent: { reply_delay_ms: 0 } });
  await gets(api, phone, 1);
  const [id] = await ban(api, "add", "LA", "--reason", "Hurricane Ida", "--tenant", tenant_id);
  assert.match(id!, /^ban_[0-9a-z]{26}$/);
  assert.equal((await ask(other, phone)).body.allowed, true);
  const asked = (await ask(api, phone)).body;
  assert.deepEqual([asked.decision, asked.next_at, asked.until], ["held", null, null]);
  assert.deepEqual([asked.rule.id, asked.rule.jurisdiction, asked.rule.source], [id, "US-LA", "Hurricane Ida"]);
  await says(api, phone, "What is this about?");
  await gets(api, phone, 2);

  const held = await once(api, open, phone);
  await until("the ban holds", async () => (await threadOf(api, phone, held)).messages[0].rule === id);
  assert.equal((await campaignOf(api, held)).counts.held, 1);
  const [everybody] = await ban(api, "add", "US", "--reason", "Test", "--channel", "voice");
  assert.equal((await ban(api, "list")).length, 2);
  assert.equal((await ask(other, phone, { channel: "voice" })).body.rule.id, everybody);
  assert.equal((await ask(other, phone)).body.allowed, true);
  assert.deepEqual(await ban(api, "remove", id!), [`${id} is lifted.`]);
  await moveClock(api, { advance_ms: HOUR_MS });
  await gets(api, phone, 3);
});

test("an answer that a pause has held for days is no reply of this minute: it waits for the contact's morning", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const phone = "+12124510011";
  // With a follow-up to come the campaign is not over before it is paused.
  const { campaignId } = await aCampaign(api, {
    contacts: [{ phone_number: phone }],
    agent: { reply_delay_ms: 0, drip_schedule: [{ day: 30, message: "Still there?" }] },
  });
  await gets(api, phone, 1);
  assert.equal((await api.post(`/v1/campaigns/${campaignId}/pause`)).status, 200);
  await says(api, phone, "Who is this?");
  const ruleOf = async (rule: string) =>
    until(`it is held by ${rule}`, async () => {
      const { messages } = await threadOf(api, phone, campaignId);
      const reply = messages.find((message: Fields) => message.kind === "reply");
      return reply?.rule === rule && reply;
    });
  await ruleOf("campaign_paused");
  await moveClock(api, { to: new Date(noon.getTime() + (13 * 24 + 14) * HOUR_MS).toISOString() });
  assert.equal((await api.post(`/v1/campaigns/${campaignId}/resume`)).status, 200);
  const held = await ruleOf("us_hours");
  assert.equal(clockIn(held.scheduled_for, "America/New_York").slice(3), "00");
  assert.equal((await textsTo(api, phone)).length, 1);
  await moveClock(api, { to: held.scheduled_for });
  await gets(api, phone, 2);
});

test("a ban that cannot be is refused in one sentence", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const add = (...args: string[]) => ban(api, "add", ...args);
  await assert.rejects(add("ZZ", "--reason", "x"), /ZZ is not a state or province, nor US/);
  await assert.rejects(add("CA-LA", "--reason", "x"), /CA-LA is not a state/);
  await assert.rejects(
    add("LA", "--reason", "x", "--until", "tomorrow"),
    /--until must be an ISO 8601 time with a zone/,
  );
  await assert.rejects(
    add("LA", "--reason", "x", "--until", "2020-01-01T00:00:00Z"),
    /--until must be after the ban begins/,
  );
  await assert.rejects(add("LA", "--reason", " "), /--reason must say something/);
  await assert.rejects(add("LA", "--reason", "x", "--tenant", "org_1"), /--tenant is not a tenant's id/);
  const nobody = `tnt_${"0".repeat(26)}`;
  await assert.rejects(add("LA", "--reason", "x", "--tenant", nobody), /There is no tenant/);
  await assert.rejects(ban(api, "remove", "ban_1"), /There is no ban ban_1/);
  assert.deepEqual(await ban(api, "list"), []);
});

test("an agent with working hours answers when they begin, once, to all that was written; keywords are answered at once", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12124510008";
  const { campaignId } = await aCampaign(api, {
    contacts: [{ phone_number: phone }],
    agent: { reply_delay_ms: 0, working_hours: { start: "10:00", end: "17:00", days: [1, 2, 3, 4, 5, 6, 7] } },
  });
  await gets(api, phone, 1);
  await says(api, phone, "Who is this?");
  await gets(api, phone, 2);
  await moveClock(api, { advance_ms: 8 * HOUR_MS });
  await says(api, phone, "HELP");
  await gets(api, phone, 3);
  await says(api, phone, "I may be interested.");
  await quiet(api);
  await says(api, phone, "In a house with a garden.");
  await quiet(api);
  assert.equal((await textsTo(api, phone)).length, 3);
  const { body: clock } = await api.get("/v1/simulator/clock");
  const opening = tenInTheMorning(new Date(clock.now));
  await moveClock(api, { to: new Date(opening - SHORTLY_MS).toISOString() });
  await quiet(api);
  assert.equal((await textsTo(api, phone)).length, 3);
  await moveClock(api, { to: new Date(opening).toISOString() });
  await gets(api, phone, 4);
  await quiet(api);
  assert.equal((await textsTo(api, phone)).length, 4);
  const replies = (await threadOf(api, phone, campaignId)).messages.filter(
    (message: Fields) => message.kind === "reply",
  );
  assert.equal(replies.length, 2);
});

test("every decision about a phone can be read back over all campaigns, newest first, in pages, and by nobody else", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  await moveClock(api, { to: new Date(noon.getTime() + 14 * HOUR_MS).toISOString() });
  const phone = "+12124510009";
  const first = await aCampaign(api, {
    contacts: [{ phone_number: phone }],
    agent: { drip_schedule: [{ day: 2, message: "Well?" }] },
  });
  const held = await until("the text is held", async () => {
    const [message] = (await threadOf(api, phone, first.campaignId)).messages;
    return message.state === "held" && message;
  });
  await moveClock(api, { to: held.scheduled_for });
  await gets(api, phone, 1);
  const second = await once(api, first, phone);
  await gets(api, phone, 2);
  await says(api, phone, "STOP");
  await gets(api, phone, 3);
  await quiet(api);

  const { decisions, has_more } = await history(api, phone);
  assert.equal(has_more, false);
  const shown = decisions.map((decision: Fields & { rule: { id: string } | null }) => [
    decision.decision,
    decision.kind,
    decision.campaign_id,
    decision.rule?.id ?? null,
  ]);
  // The confirmation is allowed about when the follow-ups are withdrawn.
  const ofTheStop = [
    ["allowed", "confirmation", second, null],
    ["blocked", "drip", first.campaignId, "opted_out"],
    ["blocked", "drip", second, "opted_out"],
  ];
  assert.deepEqual(shown.slice(0, 3).sort(), ofTheStop.sort());
  assert.deepEqual(shown.slice(3), [
    ["allowed", "start", second, null],
    ["allowed", "start", first.campaignId, null],
    ["held", "start", first.campaignId, "us_hours"],
  ]);
  const [, , , again, start, night] = decisions;
  assert.deepEqual(start.based_on, {
    profile: "strict",
    place: { zones: ["America/New_York"], states: ["NY"], basis: "area_code" },
    attempts_before: 0,
  });
  assert.equal(again.based_on.attempts_before, 1);
  assert.equal(start.attempt.state, "accepted");
  assert.deepEqual([night.until, night.message_id], [held.scheduled_for, held.message_id]);
  assert.equal(night.rule.source, "47 CFR 64.1200(c)(1), 16 CFR 310.4(c)");

  const paged: unknown[] = [];
  for (let key: string | null = ""; key !== null; ) {
    const page = await history(api, phone, { limit: "2", ...(key ? { pagination_key: key } : {}) });
    paged.push(...page.decisions);
    key = page.next_pagination_key;
  }
  assert.deepEqual(paged, decisions);
  assert.deepEqual((await history(await anotherTenant(api), phone)).decisions, []);
});

test("calls are in the history beside texts: placed, held, refused, called off, each with its purpose and rule", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  const noon = await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api);
  const call = async (phone: string, more: Fields = {}) => {
    const { status, body } = await api.post("/v1/voice/campaigns", {
      leads: [{ phone_number: phone }],
      voice_agent_id: voiceAgentId,
      agent_outbound_number: SENDER,
      ...more,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return body.campaign_id as string;
  };
  /** The history once its newest entry is so. */
  const newest = (phone: string, decision: string) =>
    until(`the newest of ${phone} is ${decision}`, async () => {
      const { decisions } = await history(api, phone);
      return decisions[0]?.decision === decision && decisions;
    });
  const shown = (decisions: (Fields & { rule: { id: string } | null })[]) =>
    decisions.map((decision) => [decision.decision, decision.channel, decision.kind, decision.rule?.id ?? null]);

  // Scripted to be busy.
  const busy = "+12125550133";
  await call(busy);
  assert.deepEqual(shown(await newest(busy, "allowed")), [["allowed", "voice", "call", null]]);
  const listed = "+12124510021";
  await api.post("/v1/dnc/add", { phone_number: listed });
  const refusing = await call(listed);
  const [refused] = await newest(listed, "blocked");
  assert.deepEqual(shown([refused]), [["blocked", "voice", "call", "do_not_call"]]);
  assert.equal(refused.campaign_id, refusing);

  await moveClock(api, { to: new Date(noon.getTime() + 14 * HOUR_MS).toISOString() });
  const late = "+12124510022";
  await call(late);
  await aCampaign(api, { contacts: [{ phone_number: late }] });
  await until("both are held", async () => (await history(api, late)).decisions.length >= 2);
  assert.deepEqual(shown((await history(api, late)).decisions).sort(), [
    ["held", "sms", "start", "us_hours"],
    ["held", "voice", "call", "us_hours"],
  ]);
  await says(api, late, "STOP");
  await until("both are withdrawn", async () => (await history(api, late)).decisions.length >= 5);
  const { decisions } = await history(api, late);
  assert.deepEqual(shown(decisions.filter((decision: Fields) => decision.decision === "blocked")).sort(), [
    ["blocked", "sms", "start", "opted_out"],
    ["blocked", "voice", "call", "opted_out"],
  ]);

  const off = "+12124510023";
  const order = { voice_agent_id: voiceAgentId, from_number: SENDER, to_number: off };
  const { status, body } = await api.post("/v1/voice/calls", order);
  assert.equal(status, 201, JSON.stringify(body));
  await newest(off, "held");
  assert.equal((await api.post(`/v1/voice/calls/${body.call_id ?? body.call.call_id}/stop`)).status, 200);
  assert.deepEqual(shown(await newest(off, "blocked")), [
    ["blocked", "voice", "single", "manual_stopped"],
    ["held", "voice", "single", "us_hours"],
  ]);
});

test("the opt-out of an erased person still counts for whoever asks about the number", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12124510031";
  const { organizationId } = await aCampaign(api, { contacts: [{ phone_number: phone }] });
  await gets(api, phone, 1);
  await says(api, phone, "STOP");
  await gets(api, phone, 2);
  const query = new URLSearchParams({ organization_id: organizationId, phone_number: phone });
  const [lead] = (await api.get(`/v1/contacts/leads?${query}`)).body.leads;
  assert.equal((await api.delete(`/v1/contacts/leads/${lead.unique_id}`)).status, 200);
  for (const channel of ["sms", "voice"]) {
    const { body } = await ask(api, phone, { channel });
    assert.deepEqual([body.decision, body.rule.id], ["blocked", "opted_out"]);
  }
  const { consent } = (await api.get(`/v1/consents/${encodeURIComponent(phone)}`)).body;
  assert.deepEqual([consent.opted_out, consent.opt_out_source, consent.opt_out_quote], [true, "keyword", null]);
  assert.deepEqual((await history(api, phone)).decisions, []);
  assert.equal((await ask(api, "+12124510032")).body.allowed, true);
});

function clockIn(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    new Date(at),
  );
}

/** The next 10:00 in New York. */
function tenInTheMorning(from: Date): number {
  let at = Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS;
  while (clockIn(new Date(at).toISOString(), "America/New_York") !== "10:00") at += HOUR_MS;
  return at;
}
