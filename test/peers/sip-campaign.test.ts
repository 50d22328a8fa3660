import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { type MachineWatch, type Standstill, watchMachine } from "#test/support/processes/standstill.ts";
import type { Baresip } from "./baresip.ts";
import { CAMPAIGN_PHONES, type CampaignPhone, numberOf, soundOf, startPhone } from "./campaign-phones.ts";
import { type Kamailio, kamailio } from "./kamailio.ts";
import { knownSentences } from "./known-sentences.ts";
import { isSilent, share } from "./likeness.ts";
import { missing } from "./programs.ts";
import { callsThrough, registeredAt, registrarRoutes } from "./registrar.ts";
import { endsTogether, recordingOf, type SipService, sipService } from "./sip-service.ts";

const skip = missing("kamailio", "baresip");
const TRUNK = { username: "parley", password: "the-trunks-own" };
const PHONES_PASSWORD = "the-phones-own";
const SENDERS = [SENDER, "+12125550101"];
/** A first call and one more. */
const MOST_CALLS = 2;
const MOST_AT_ONCE = 8;
const REDIAL_MINUTES = 30;
/** A round takes half a minute; two slow cores may be shared by nine. */
const ROUND_MS = 150_000;
/** Of the sound that a telephone heard or said, what has to be in the recording as it was. */
const WHOLE = 0.9;
/** Of the recording, what the telephone knows of: on a busy machine packets are lost to it, which are in ours all the same. */
const KNOWN_THERE = 0.75;
/** Or so much is lost to it, which of few words is more. */
const MOST_LOST_MS = 1_500;
/** On a busy machine a telephone sends late, which is evened out in pauses, and frames of ours are left out. */
const MOST_MOVED_MS = 1_000;
/** Of a call's time. Where the machine stood still for more of it, what a telephone misses says nothing of us. */
const MOST_STILL = 0.08;
/** Or for longer than this, which is more than a tenth of what some of them say. */
const MOST_STILL_MS = 500;
/** In so many of such calls what was missed may have changed how they went. In more than these it was us. */
const MOST_ASTRAY = 6;

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON came; the test asserts what it should be.
type Answer = any;

test("a campaign calls twenty telephones through a proxy, and each call is reported and recorded as it was", {
  skip,
}, async (t) => {
  const owner = endsTogether(t);
  const machine = await watchMachine(t);
  const sounds = new Map(CAMPAIGN_PHONES.map((phone) => [phone, soundOf(phone)]));
  const expecting = (of: (phone: CampaignPhone) => boolean) => CAMPAIGN_PHONES.filter(of).map(numberOf);
  const proxy = await kamailio(
    t,
    registrarRoutes({
      trunk: TRUNK,
      phones: PHONES_PASSWORD,
      away: expecting((phone) => phone.calls.length === 0 && phone.expects.outcome === "no_answer"),
      declines: expecting((phone) => phone.expects.outcome === "declined"),
    }),
  );
  const speechToTextUrl = await knownSentences(t, [...sounds.values()]);
  const trunk = { name: "acme", host: "127.0.0.1", port: proxy.port, ...TRUNK, numbers: SENDERS };
  const registrar = { port: proxy.port, password: PHONES_PASSWORD };
  const phones = new Map<CampaignPhone, Baresip>();
  const [service] = await Promise.all([
    sipService(t, owner, { trunk, speechToTextUrl }),
    ...CAMPAIGN_PHONES.map(async (phone) => {
      phones.set(phone, await startPhone(owner(), phone, sounds.get(phone)!.samples, registrar));
    }),
  ]);
  const registered = expecting((phone) => phone.calls.length > 0).sort();
  await until("all have registered", async () => `${[...registeredAt(proxy)].sort()}` === `${registered}`);

  const { api, sql } = service;
  const path = await aCampaign(api);
  const rows = async (): Promise<Answer[]> =>
    (await sql.query("select phone, number, dialed_at, end_at from calls order by start_at")).rows;
  await until(
    "each has been called",
    async () => (await rows()).filter((row) => row.end_at).length === CAMPAIGN_PHONES.length,
    ROUND_MS,
  );
  assert.equal((await rows()).length, CAMPAIGN_PHONES.length, "nobody is called again before it is time");
  await service.ahead(REDIAL_MINUTES + 1);
  const campaign = await until(
    "the campaign is over",
    async () => {
      const { body } = await api.get(path);
      return body.campaign.status === "completed" && body.campaign;
    },
    ROUND_MS,
  );

  const { leads } = (await api.get(`${path}/leads?limit=500`)).body;
  const listed = (await api.get(`/v1/voice/calls?organization_id=${campaign.organization_id}&limit=500`)).body.calls;
  const [wrong, astray]: [string[], string[]] = [[], []];
  for (const phone of CAMPAIGN_PHONES) {
    const number = numberOf(phone);
    const lead = leads.find((one: Answer) => one.phone_number === number);
    const calls = listed.filter((one: Answer) => one.to_number === number).reverse();
    const { line, problems, strays } = await checkPhone(phone, {
      api,
      proxy,
      machine,
      phone: phones.get(phone)!,
      lead,
      calls,
    });
    t.diagnostic(line);
    wrong.push(...problems.map((problem) => `${number} ${phone.does}: ${problem}`));
    if (strays.length > 0) astray.push(`${number} ${phone.does}: ${strays}`);
  }
  for (const line of service.said()) t.diagnostic(line);
  for (const line of astray) t.diagnostic(`while the machine stood still: ${line}`);
  assert.deepEqual(wrong, []);
  assert.ok(astray.length <= MOST_ASTRAY, `${astray.length} calls went otherwise`);
  const written = await rows();
  assert.equal(written.length, listed.length);
  assert.deepEqual([...new Set(written.map((call) => call.number))].sort(), SENDERS, "both numbers called");
  const most = Math.max(...written.map((call) => written.filter((other) => goOn(other, call.dialed_at)).length));
  assert.ok(most <= MOST_AT_ONCE && most > 1, `${most} calls at once`);
  assert.equal(campaign.leads.opted_out, leads.filter((lead: Answer) => lead.state === "opted_out").length);
});

const goOn = (call: Answer, at: Date): boolean => call.dialed_at <= at && at < call.end_at;

/** Buys the numbers and begins to call from them. Answers with the campaign's path. */
async function aCampaign(api: SipService["api"]): Promise<string> {
  const { voiceAgentId } = await aVoiceAgent(api, {
    voice_id: "slt",
    voicemail_message: "Hello, this is Ava of Acme. Please call us back.",
    extraction_fields: ["budget"],
    ring_duration_ms: 15_000,
    end_call_after_silence_ms: 10_000,
  });
  for (const phone_number of SENDERS) {
    const bought = await api.post("/v1/voice/phone-numbers/purchase", { phone_number });
    assert.equal(bought.status, 201, JSON.stringify(bought.body));
  }
  const { status, body } = await api.post("/v1/voice/campaigns", {
    leads: CAMPAIGN_PHONES.map((phone) => ({ phone_number: numberOf(phone), first_name: "Ann" })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDERS[0],
    agent_outbound_numbers: SENDERS.slice(1),
    max_concurrent_calls: MOST_AT_ONCE,
    calls_per_second: 5,
    redial_enabled: true,
    redial_config: { max_attempts: MOST_CALLS, retry_delay_minutes: REDIAL_MINUTES },
  });
  assert.equal(status, 202, JSON.stringify(body));
  return `/v1/voice/campaigns/${body.campaign_id}`;
}

type Evidence = {
  api: SipService["api"];
  proxy: Kamailio;
  machine: MachineWatch;
  phone: Baresip;
  lead: Answer;
  calls: Answer[];
};

/** Whether what is reported of a phone is what the proxy and the phone itself have seen; with a line for the table. */
async function checkPhone(callee: CampaignPhone, { api, proxy, machine, phone, lead, calls }: Evidence) {
  const { expects } = callee;
  const still = await standstillOf(phone, machine);
  const isJudged = still.share <= MOST_STILL && still.ms <= MOST_STILL_MS;
  const [problems, strays]: [string[], string[]] = [[], []];
  const check: Check = (isSo, problem) => isSo || problems.push(problem);
  const checkCourse: Check = (isSo, problem) => isSo || (isJudged ? problems : strays).push(problem);
  const checkSound = isJudged ? check : () => undefined;
  const { outcome, state, reason } = lead;
  const isAsExpected = outcome === expects.outcome && state === expects.state && reason === expects.reason;
  checkCourse(isAsExpected, `the lead is ${outcome}, ${state}, ${reason}`);
  const reasons = calls.map((call) => call.disconnection_reason);
  checkCourse(`${reasons}` === `${expects.calls}`, `its calls ended by ${reasons}`);

  const began = [...callsThrough(proxy, numberOf(callee)).values()];
  check(began.length === calls.length && began.every((times) => times === 1), `the proxy saw ${began} of its calls`);
  const rang = new Set(phone.events.flatMap(({ type, id }) => (type.startsWith("CALL_") ? [id] : []))).size;
  check(rang === (callee.calls.length > 0 ? calls.length : 0), `it rang ${rang} times`);

  const line = [callee.does, outcome, state, reasons.join(" "), `${began.length}/${rang}`];
  for (const listed of calls) {
    const isAnswered = listed.call_duration_ms > 0;
    check(
      (listed.call_status === "ended") === isAnswered,
      `a call of ${listed.call_duration_ms} ms ${listed.call_status}`,
    );
    check((listed.recording_url !== null) === isAnswered, "a recording that should not be, or none");
    if (isAnswered && listed.recording_url) {
      const checks = { check, checkCourse, checkSound };
      line.push(...(await checkRecording(listed.call_id, api, phone, expects, checks)));
      const { ms, longestMs, stolenShare } = still;
      line.push(
        `stood still ${ms.toFixed(0)} ms, once ${longestMs.toFixed(0)}, ${Math.round(stolenShare * 100)} % stolen`,
      );
      if (!isJudged) line.push("its sound is not judged");
    }
  }
  return { line: line.join(" | "), problems, strays };
}

/** How the machine stood still in its last answered call; not at all where no call was answered. */
async function standstillOf(phone: Baresip, machine: MachineWatch): Promise<Standstill> {
  const answered = phone.events.findLast((event) => event.type === "CALL_ESTABLISHED");
  if (answered === undefined) return { ms: 0, longestMs: 0, share: 0, stolenShare: 0, busyShare: 0 };
  const closed = phone.events.findLast((event) => event.type === "CALL_CLOSED" && event.id === answered.id);
  return machine.between(answered.atMs, closed?.atMs ?? performance.now());
}

type Check = (isSo: boolean, problem: string) => unknown;

/** Whether an answered call is recorded whole: as long as it was, and as the phone heard it and was heard. */
async function checkRecording(
  callId: string,
  api: SipService["api"],
  phone: Baresip,
  expects: CampaignPhone["expects"],
  { check, checkCourse, checkSound }: Record<"check" | "checkCourse" | "checkSound", Check>,
): Promise<string[]> {
  const { call } = (await api.get(`/v1/voice/calls/${callId}`)).body;
  checkCourse(call.answered_by === (expects.answeredBy ?? null), `answered by ${call.answered_by}`);
  checkCourse(call.voicemail_left === (expects.voicemailLeft ?? false), `voicemail_left is ${call.voicemail_left}`);
  const recorded = await recordingOf(api, callId);
  const ms = recorded.agent.length / 8;
  const off = Math.abs(ms - call.call_duration_ms);
  check(ms === call.recording_ms, `a recording of ${ms} ms is reported as ${call.recording_ms}`);
  check(off <= Math.max(100, call.call_duration_ms * 0.02), `${ms} ms recorded of ${call.call_duration_ms}`);
  const sides = [
    { side: "agent", theirs: phone.heard(), ours: recorded.agent },
    { side: "contact", theirs: phone.played(), ours: recorded.contact },
  ].map(({ side, theirs, ours }) => {
    if (isSilent(theirs) && isSilent(ours)) return `${side} silent`;
    const [there, back] = [share(theirs, ours), share(ours, theirs)];
    const isKnown = back.likeness >= KNOWN_THERE || back.missedMs <= MOST_LOST_MS;
    const isWhole = there.likeness >= WHOLE && isKnown;
    checkSound(
      isWhole,
      `${side}: ${there.likeness} of theirs in ours, ${back.likeness} of ours in theirs, ${back.missedMs} ms missed`,
    );
    checkSound(there.movedMs <= MOST_MOVED_MS, `${side}: moved by ${there.movedMs} ms`);
    return `${side} ${there.likeness.toFixed(3)}/${back.likeness.toFixed(3)} (moved ${there.movedMs.toFixed(0)} ms)`;
  });
  return [`${call.call_duration_ms} ms`, `recorded ${ms} ms`, ...sides];
}
