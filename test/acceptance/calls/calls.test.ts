import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TurnLatency, Utterance } from "#domain/calls/report.ts";
import { publicId } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const START = Date.parse("2026-11-20T15:00:00.000Z");
const at = (n: number) => new Date(START + n * 1_000);

const UTTERANCES: Utterance[] = [
  { role: "agent", text: "Hi there.", startMs: 120, endMs: 900, words: [], interrupted: true },
  {
    role: "contact",
    text: "Yes.",
    startMs: 1_000,
    endMs: 1_400,
    words: [{ word: "Yes.", startMs: 1_000, endMs: 1_400 }],
  },
];
const LATENCIES: TurnLatency[] = [
  { atMs: 1_400, endpointingMs: 500, speechToTextMs: 80, modelMs: 300, voiceMs: 120, totalMs: 1_000 },
  { atMs: 9_000, totalMs: 700 },
];
const DETAIL = {
  transcript: "Agent: Hi there.\nUser: Yes.\n",
  utterances: UTTERANCES,
  latencies: LATENCIES,
  extracted_fields: { interest: true },
  evidence: { interest: { quote: "Yes." } },
  summary: "They are interested.",
  cost: { total: "0.0123", carrier: "0.01", transcription: "0.001", voice: "0.001", model: "0.0003" },
  recording: "2026-11/a.wav",
  recording_bytes: 1_000,
  recording_ms: 60_000,
  speech_to_text: "deepgram",
  codec: "opus",
  encrypted: true,
};

test("call history, single calls and recordings", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const campaign_id = await insertVoiceCampaign(sql, of, "spring");
  const user = await api.post(`/v1/organizations/${of.publicOrganizationId}/users`, {
    name: "Ben",
    email: "ben@example.com",
  });
  const [whole, inbound] = await insertCalls(sql, of, [
    { campaign_id, start_at: at(3), successful: true, sentiment: "Positive", detail: DETAIL },
    { start_at: at(2), direction: "inbound", purpose: "single", user_id: null },
    { start_at: at(1), status: "not_connected", reason: "dial_no_answer", duration_ms: 0, answered_at: null },
  ]);
  const sound = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256));
  mkdirSync(join(api.config.dataDir, "recordings/2026-11"), { recursive: true });
  writeFileSync(join(api.config.dataDir, "recordings/2026-11/a.wav"), sound);

  const callPath = (id: string) => `/v1/voice/calls/${publicId("call", id)}`;
  const history = `/v1/voice/calls?organization_id=${of.publicOrganizationId}`;
  const recording = `${callPath(whole!)}/recording`;

  await t.test("history has every call of the organization, newest first, with what it came to", async () => {
    const { status, body } = await api.get(history);
    assert.equal(status, 200);
    assert.deepEqual([body.count, body.has_more, body.next_pagination_key], [3, false, null]);
    const { recording_url, ...call } = body.calls[0];
    assert.ok(recording_url.startsWith(`${api.url}${recording}?token=`));
    assert.deepEqual(call, {
      call_id: publicId("call", whole!),
      to_number: "+12125550123",
      from_number: "+12125550100",
      call_successful: true,
      in_voicemail: false,
      call_status: "ended",
      call_result: "talked",
      user_sentiment: "Positive",
      call_duration_ms: 60_000,
      start_timestamp: at(3).toISOString(),
      end_timestamp: at(63).toISOString(),
      transcript: DETAIL.transcript,
      extracted_fields: { interest: true },
      direction: "outbound",
      purpose: "call",
      campaign_id: "spring",
      organization_id: of.publicOrganizationId,
      user_id: of.publicUserId,
      agent_id: publicId("agent", of.agentId),
      agent_version: 1,
      lead_id: null,
      contact_name: null,
      agent_name: "Ava",
      campaign_name: "Test",
      answered_by: "human",
      disconnection_reason: "agent_hangup",
      scheduled_for: null,
      waiting_because: null,
      summary: "They are interested.",
      cost: DETAIL.cost,
    });
    const from = body.calls[1];
    assert.deepEqual([from.from_number, from.to_number], ["+12125550123", "+12125550100"], "who called us is `from`");
    assert.deepEqual([from.recording_url, from.cost, from.campaign_id], [null, null, null]);
  });

  await t.test("history pages by start_timestamp like the campaign's listing", async () => {
    const first = (await api.get(`${history}&limit=1`)).body;
    assert.deepEqual([first.count, first.has_more, first.next_pagination_key], [1, true, at(3).toISOString()]);
    const next = (await api.get(`${history}&limit=2&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual([next.calls[0].call_id, next.has_more], [publicId("call", inbound!), false]);
    assert.equal((await api.get(`${history}&pagination_key=x`)).status, 400);
  });

  await t.test("organization_id is needed", async () => {
    const missing = await api.get("/v1/voice/calls");
    assert.deepEqual([missing.status, missing.body.details[0].field], [400, "organization_id"]);
    assert.equal((await api.get("/v1/voice/calls?organization_id=org_00000000000000000000000001")).status, 404);
  });

  await t.test("user_id leaves their calls; is_admin widens it for a key that may, and for no other", async () => {
    const count = async (query: string, key?: string) =>
      (await api.get(`${history}${query}`, key === undefined ? {} : { key })).body.count;
    assert.equal(await count(`&user_id=${of.publicUserId}`), 2);
    assert.equal(await count(`&user_id=${user.body.unique_id}`), 0);
    assert.equal(await count(`&user_id=${user.body.unique_id}&is_admin=false`), 0);
    assert.equal(await count(`&user_id=${user.body.unique_id}&is_admin=true`), 3);
    const reader = await api.post("/v1/api-keys", { name: "Reader", scopes: ["read"] });
    assert.equal(await count(`&user_id=${user.body.unique_id}&is_admin=true`, reader.body.api_key), 0);
  });

  await t.test("a single call has its words in seconds, its latencies and why it ended", async () => {
    const { status, body } = await api.get(callPath(whole!));
    assert.equal(status, 200);
    const { call } = body;
    assert.deepEqual(call.transcript_object, [
      { role: "agent", content: "Hi there.", words: [], interrupted: true },
      { role: "user", content: "Yes.", words: [{ word: "Yes.", start: 1, end: 1.4 }], interrupted: false },
    ]);
    assert.deepEqual([call.speech_to_text, call.codec, call.encrypted], ["deepgram", "opus", true]);
    assert.deepEqual(Object.keys(call.latency), ["e2e", "endpointing", "asr", "llm", "tts"]);
    assert.deepEqual([call.latency.e2e.p50, call.latency.e2e.max, call.latency.e2e.num], [700, 1_000, 2]);
    assert.deepEqual(call.turns[0], {
      at_ms: 1_400,
      endpointing_ms: 500,
      asr_ms: 80,
      llm_ms: 300,
      tts_ms: 120,
      e2e_ms: 1_000,
    });
    assert.deepEqual(
      [call.disconnection_reason, call.summary, call.recording_ms, call.evidence],
      ["agent_hangup", "They are interested.", 60_000, DETAIL.evidence],
    );
  });

  await t.test("a call that is not there and another tenant's are the same 404", async () => {
    const other = await anotherTenant(api);
    const missing = await api.get("/v1/voice/calls/call_00000000000000000000000001");
    assert.deepEqual([missing.status, missing.body.error], [404, "Call not found"]);
    const foreign = await other.get(callPath(whole!));
    assert.deepEqual([foreign.status, foreign.body.error], [404, "Call not found"]);
    assert.equal((await other.get(recording)).status, 404);
  });

  const fetchSound = (headers: Record<string, string> = {}, method = "GET") =>
    fetch(api.url + recording, { method, headers: { "x-api-key": api.key, ...headers } });

  await t.test("a recording is answered whole, as a file to keep", async () => {
    const answer = await fetchSound();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "audio/wav");
    assert.equal(answer.headers.get("content-length"), "1000");
    assert.equal(answer.headers.get("accept-ranges"), "bytes");
    assert.equal(answer.headers.get("content-disposition"), `attachment; filename="${publicId("call", whole!)}.wav"`);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), sound);
  });

  await t.test("a part of it is a 206, one past its end a 416", async () => {
    for (const [range, from, to] of [
      ["bytes=0-0", 0, 1],
      ["bytes=100-199", 100, 200],
      ["bytes=990-", 990, 1_000],
      ["bytes=-10", 990, 1_000],
      ["bytes=500-9999", 500, 1_000],
    ] as const) {
      const answer = await fetchSound({ range });
      assert.equal(answer.status, 206, range);
      assert.equal(answer.headers.get("content-range"), `bytes ${from}-${to - 1}/1000`);
      assert.equal(answer.headers.get("content-length"), String(to - from));
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), sound.subarray(from, to), range);
    }
    const beyond = await fetchSound({ range: "bytes=1000-" });
    const body = (await beyond.json()) as { code: string };
    assert.deepEqual([beyond.status, body.code], [416, "range_not_satisfiable"]);
    assert.equal(beyond.headers.get("content-range"), "bytes */1000");
    const several = await fetchSound({ range: "bytes=0-1,5-6" });
    assert.deepEqual([several.status, (await several.arrayBuffer()).byteLength], [200, 1_000]);
  });

  await t.test("HEAD has the headers alone; If-None-Match and If-Range are heeded", async () => {
    const head = await fetchSound({}, "HEAD");
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "1000"]);
    const part = await fetchSound({ range: "bytes=0-99" }, "HEAD");
    assert.deepEqual([part.status, part.headers.get("content-length")], [206, "100"]);
    const etag = head.headers.get("etag")!;
    assert.equal((await fetchSound({ "if-none-match": etag })).status, 304);
    assert.equal((await fetchSound({ "if-range": etag, range: "bytes=0-9" })).status, 206);
    assert.equal((await fetchSound({ "if-range": '"older"', range: "bytes=0-9" })).status, 200);
  });

  await t.test("its URL opens without a key, for that call alone and for some minutes", async () => {
    const url = (await api.get(callPath(whole!))).body.call.recording_url as string;
    const answer = await fetch(url, { headers: { range: "bytes=0-9" } });
    assert.equal(answer.status, 206);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), sound.subarray(0, 10));
    const token = new URL(url).searchParams.get("token")!;
    const refused = async (path: string) => {
      const response = await fetch(api.url + path);
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const [until = "", tenant = "", signature = ""] = token.split(".");
    const other = signature.startsWith("A") ? "B" : "A";
    for (const wrong of [
      `${until}.${tenant}.${other}${signature.slice(1)}`,
      `${(Number.parseInt(until, 36) + 1).toString(36)}.${tenant}.${signature}`,
      `${until}.${tenant.replace(/.$/, "0")}x.${signature}`,
      "x",
      "..",
    ]) {
      assert.deepEqual(await refused(`${recording}?token=${wrong}`), [403, "link_invalid"], wrong);
    }
    assert.deepEqual(await refused(`${callPath(inbound!)}/recording?token=${token}`), [403, "link_invalid"]);
    assert.deepEqual(await refused(recording), [401, "unauthorized"]);
    assert.deepEqual(await refused(`${callPath(whole!)}?token=${token}`), [401, "unauthorized"], "nothing else opens");
    assert.deepEqual(await refused(`${recording}?token=`), [403, "link_invalid"]);
  });

  await t.test("a call without a recording, or whose file is gone, is a 404", async () => {
    const none = await api.get(`${callPath(inbound!)}/recording`);
    assert.deepEqual([none.status, none.body.error], [404, "Recording not found"]);
    const [lost] = await insertCalls(sql, of, [{ start_at: at(10), detail: { recording: "2026-11/gone.wav" } }]);
    assert.equal((await api.get(`${callPath(lost!)}/recording`)).status, 404);
  });
});
