import assert from "node:assert/strict";
import { test } from "node:test";
import { Check, Errors } from "typebox/value";
import { Event, type EventKind, type LoggedEvent } from "#contract/system/events.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { follow } from "#test/support/api/event-stream.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent } from "#test/support/campaigns/campaign.ts";
import { importFile } from "#test/support/campaigns/import.ts";
import { campaignIs, quiet, says, threadPath } from "#test/support/messaging/handset.ts";

/** Handsets that take what they get and say nothing. */
const PHONES = Array.from({ length: 5 }, (_, i) => `+1212444010${i}`);
const contacts = PHONES.map((phone_number) => ({ phone_number }));
/** One that converses. */
const TALKER = "+12125550101";

type Api = Pick<Parley, "get">;

/** The whole log, page by page. */
async function logOf(api: Api, query = "", limit = 100): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for (let after: number | undefined; ; ) {
    const { status, body } = await api.get(
      `/v1/events?limit=${limit}${after === undefined ? "" : `&after=${after}`}${query}`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.count, body.events.length);
    all.push(...body.events);
    if (!body.has_more) return all;
    assert.ok(body.next_after > (after ?? 0));
    after = body.next_after;
  }
}

/** Waits until an event of this kind is in the log, and answers with the log. */
const logWith = (api: Api, kind: EventKind, count = 1) =>
  until(`${count} ${kind} are in the log`, async () => {
    const log = await logOf(api);
    return log.filter((event) => event.kind === kind).length >= count && log;
  });

const seqs = (events: readonly LoggedEvent[]): number[] => events.map(({ seq }) => seq);
const isDescribed = (event: LoggedEvent) =>
  Check(Event, event) || assert.fail(JSON.stringify([event, [...Errors(Event, event)]]));

test("the events of a whole small campaign come in order and without a gap", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const stream = await follow(api);
  // One that is over within a second is reported when it is over, and not before.
  const begin = new Date(noon.getTime() + 1_800_000).toISOString();
  const { campaignId, agentId, organizationId } = await aCampaign(api, {
    contacts,
    campaign: { campaign_begin_time: begin },
  });
  await logWith(api, "campaign.progressed");
  await api.post("/v1/simulator/clock", { to: begin });
  await campaignIs(api, campaignId, "completed");
  const log = await logWith(api, "campaign.completed");
  assert.deepEqual(
    seqs(log),
    log.map((_, i) => i + 1),
  );
  for (const event of log) isDescribed(event);
  const of = <Kind extends EventKind>(kind: Kind) =>
    log.filter((event): event is Extract<LoggedEvent, { kind: Kind }> => event.kind === kind);
  const { agent_id, version, change } = of("agent.updated")[0]!.data;
  assert.deepEqual([agent_id, version, change], [agentId, 1, "created"]);
  const expected = { campaign_id: campaignId, channel: "sms" };
  assert.deepEqual(of("campaign.created")[0]!.data, { ...expected, status: "processing" });
  assert.deepEqual(of("campaign.started")[0]!.data, { ...expected, status: "active" });
  const [completed, ...more] = of("campaign.completed");
  assert.equal(more.length, 0);
  assert.deepEqual([completed!.organization_id, completed!.mode], [organizationId, "test"]);
  assert.equal(
    Object.values(completed!.data.counts).reduce((sum, n) => sum + n, 0),
    PHONES.length,
  );
  const { body } = await api.get(`/v1/campaigns/${campaignId}/messages`);
  const sent = body.messages.filter((message: { direction: string; kind: string }) => message.kind === "start");
  const ids = (kind: "message.sent" | "message.delivered") =>
    of(kind)
      .map(({ data }) => data.message_id)
      .filter((id) => sent.some((message: { message_id: string }) => message.message_id === id))
      .sort();
  const started = sent.map((message: { message_id: string }) => message.message_id).sort();
  assert.deepEqual(ids("message.sent"), started);
  assert.deepEqual(ids("message.delivered"), started);
  assert.deepEqual(
    of("message.sent")
      .filter(({ data }) => ids("message.sent").includes(data.message_id))
      .map(({ data }) => data.thread_id)
      .sort(),
    PHONES.map((phone) => `${phone}_${campaignId}`),
  );
  assert.deepEqual(of("campaign.progressed")[0]!.data.counts, { scheduled: PHONES.length });
  const at = (kind: EventKind) => log.findIndex((event) => event.kind === kind);
  assert.ok(at("campaign.created") < at("campaign.started") && at("campaign.started") < at("message.sent"));
  // The stream sent the same, as it happened.
  await until("the stream has it all", async () => stream.events.length >= log.length);
  assert.deepEqual(stream.events.slice(0, log.length), log);
  assert.equal(stream.headers.get("cache-control"), "no-store");
  await stream.stop();
});

test("a conversation, a person who takes it over, and an opt-out", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = TALKER;
  const agent = { extraction_fields: ["budget"], reply_delay_ms: 0 };
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: phone, external_id: "crm-1" }], agent });
  await logWith(api, "extraction.completed");
  const thread = `${phone}_${campaignId}`;
  const { lead_id } = (await api.get(threadPath(phone, campaignId))).body.thread;
  const named = { lead_id, contact_id: lead_id, external_id: "crm-1" };
  await api.post(`${threadPath(phone, campaignId)}/messages`, { text: "This is Uma." });
  await api.post(`${threadPath(phone, campaignId)}/resume-agent`);
  await api.post(`${threadPath(phone, campaignId)}/resume-agent`);
  await says(api, phone, "STOP");
  await logWith(api, "contact.opted_out");
  await says(api, phone, "START");
  const log = await logWith(api, "contact.opted_in");
  for (const event of log) isDescribed(event);
  assert.deepEqual(
    log.flatMap((event) => (event.kind === "thread.updated" ? [event.data] : [])),
    [false, true].map((agent_awake) => ({ campaign_id: campaignId, thread_id: thread, ...named, agent_awake })),
  );
  const extracted = log.find((event) => event.kind === "extraction.completed");
  assert.deepEqual([extracted?.data.lead_id, extracted?.data.external_id], [lead_id, "crm-1"]);
  const received = log.filter(({ kind }) => kind.startsWith("contact."));
  assert.deepEqual(
    received.map(({ kind, data }) => [kind, data]),
    [
      ["contact.opted_out", { phone_number: phone, source: "keyword" }],
      ["contact.opted_in", { phone_number: phone }],
    ],
  );
  assert.ok(log.some((event) => event.kind === "message.received" && event.data.thread_id === thread));
  const texts = log.filter((event) => event.kind === "message.sent" || event.kind === "message.received");
  const { body: written } = await api.get(threadPath(phone, campaignId));
  for (const { kind, data } of texts) {
    const message = written.thread.messages.find(
      ({ message_id }: { message_id: string }) => message_id === data.message_id,
    );
    if (!message) continue;
    assert.deepEqual(
      data,
      { message_id: message.message_id, campaign_id: campaignId, thread_id: thread, ...named, text: message.text },
      kind,
    );
  }
  const words = texts.map(({ data }) => data.text);
  assert.ok(words.includes("This is Uma.") && words.includes("STOP"), "what was written is in the log");

  // Erased, the contact is in the log no more, and the log has no gap for it.
  assert.equal((await api.delete(`/v1/contacts/leads/${lead_id}`)).status, 200);
  const after = await logOf(api);
  for (const gone of [phone, lead_id, "crm-1", "This is Uma"]) assert.ok(!JSON.stringify(after).includes(gone), gone);
  assert.deepEqual(seqs(after).slice(0, log.length), seqs(log));
});

test("pages and filters: each event once, whatever the page's size", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const { campaignId } = await aCampaign(api, { contacts });
  const other = await aCampaign(api, { contacts: [{ phone_number: PHONES[1]! }], campaign: { campaign_id: "other" } });
  await campaignIs(api, campaignId, "completed");
  await campaignIs(api, other.campaignId, "completed");
  await quiet(api);
  await logWith(api, "campaign.completed", 2);
  const log = await logOf(api);
  for (const limit of [1, 2, 3, 7, 500]) assert.deepEqual(await logOf(api, "", limit), log);
  const only = (query: string, limit = 100) => logOf(api, query, limit);
  for (const limit of [1, 3, 100]) {
    const wanted = log.filter(({ kind }) => kind.startsWith("message.") || kind === "campaign.completed");
    assert.deepEqual(await only("&kinds=message.*,campaign.completed", limit), wanted);
    const ofOther = log.filter(({ data }) => "campaign_id" in data && data.campaign_id === "other");
    assert.deepEqual(await only("&campaign_id=other", limit), ofOther);
    const thread = `${PHONES[1]}_${campaignId}`;
    const ofThread = log.filter(({ data }) => "thread_id" in data && data.thread_id === thread);
    assert.deepEqual(await only(`&thread_id=${encodeURIComponent(thread)}`, limit), ofThread);
    assert.ok(ofOther.length > 0 && ofThread.length >= 2);
  }
  for (const [query, status, word] of [
    ["kinds=message", 400, "kinds"],
    ["kinds=message.read", 400, "message.read"],
    ["after=-1", 400, "after"],
    ["limit=501", 400, "limit"],
    ["thread_id=x", 400, "thread_id"],
    ["campaign_id=nobody", 404, "Campaign"],
    ["call_id=call_x", 404, "Call"],
    [`after=${log.length + 1_000}`, 410, "gap"],
  ] as const) {
    for (const path of ["/v1/events", "/v1/events/stream"]) {
      // A stream has no pages, and says itself what is gone.
      if (path.endsWith("stream") && (word === "limit" || word === "gap")) continue;
      const { status: got, body } = await api.get(`${path}?${query}`);
      assert.deepEqual([got, body.error.includes(word)], [status, true], `${path}?${query}: ${JSON.stringify(body)}`);
    }
  }
});

test("a stream resumes where it was cut, with no event lost or repeated", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const received: LoggedEvent[] = [];
  let stream = await follow(api, "?after=0");
  let isRunning = true;
  const makes = (async () => {
    for (let i = 0; i < 4; i++) {
      const others = PHONES.map((phone) => ({ phone_number: phone.replace("0", String(i + 1)) }));
      const { campaignId } = await aCampaign(api, { contacts: others, campaign: { campaign_id: `c${i}` } });
      await campaignIs(api, campaignId, "completed");
    }
    isRunning = false;
  })();
  let cuts = 0;
  while (isRunning) {
    const before = received.length;
    await until("some more has come", async () => stream.events.length > 3 || !isRunning);
    await stream.stop();
    received.push(...stream.events);
    assert.ok(received.length >= before);
    cuts++;
    // By the header a browser says where it was; by the query another program may.
    const headers = { "x-api-key": api.key, ...(cuts % 2 === 0 ? {} : { "last-event-id": stream.lastId }) };
    stream = await follow(api, `?after=${stream.lastId}`, headers);
  }
  await makes;
  const log = await logWith(api, "campaign.completed", 4);
  await until("the stream has come to the end", async () => received.length + stream.events.length >= log.length);
  await stream.stop();
  const all = [...received, ...stream.events];
  assert.ok(cuts >= 3, `${cuts} cuts`);
  assert.deepEqual(
    seqs(all),
    all.map((_, i) => i + 1),
  );
  assert.deepEqual(all.slice(0, log.length), log);
});

test("two tenants see only their own, by page and by stream", async (t) => {
  const api = await startParley(t);
  const theirs = await anotherTenant(api);
  await aNoon(api);
  await aNoon(theirs);
  const streams = [await follow(api), await follow(theirs)];
  const campaigns = await Promise.all(
    [api, theirs].map((client, i) => aCampaign(client, { contacts, campaign: { campaign_id: `mine-${i}` } })),
  );
  await campaignIs(api, "mine-0", "completed");
  await campaignIs(theirs, "mine-1", "completed");
  const logs = [await logWith(api, "campaign.completed"), await logWith(theirs, "campaign.completed")];
  for (const [i, log] of logs.entries()) {
    await until("the stream has it all", async () => streams[i]!.events.length >= log.length);
    for (const events of [log, streams[i]!.events]) {
      const text = JSON.stringify(events);
      assert.ok(text.includes(`mine-${i}`) && text.includes(campaigns[i]!.organizationId));
      assert.ok(!text.includes(`mine-${1 - i}`) && !text.includes(campaigns[1 - i]!.organizationId));
      assert.deepEqual(
        seqs(events),
        events.map((_, n) => n + 1),
      );
    }
    await streams[i]!.stop();
  }
  for (const path of ["/v1/events", "/v1/events/stream"]) {
    const foreign = await theirs.get(`${path}?campaign_id=mine-0`);
    assert.deepEqual([foreign.status, foreign.body.error], [404, "Campaign not found"]);
    const thread = encodeURIComponent(`${PHONES[0]}_mine-0`);
    assert.equal((await theirs.get(`${path}?thread_id=${thread}`)).status, 404);
  }
});

test("streams are filtered, and one that requests events that are no longer stored is reset", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const progress = await follow(api, "?kinds=campaign.*");
  const late = await follow(api, "?after=1000000");
  const other = await follow(api, "?kinds=brand.*");
  const { campaignId } = await aCampaign(api, { contacts });
  await campaignIs(api, campaignId, "completed");
  const log = await logWith(api, "campaign.completed");
  const wanted = log.filter(({ kind }) => kind.startsWith("campaign."));
  await until("the stream has all of its kinds", async () => progress.events.length >= wanted.length);
  assert.deepEqual(progress.events, wanted);
  assert.deepEqual([late.resets.length, late.resets[0]!.after], [1, 1_000_000]);
  await until("the other goes on from now", async () => late.events.length > 0);
  assert.equal(late.events[0]!.seq, late.resets[0]!.head + 1);
  assert.deepEqual(other.events, []);
  for (const stream of [progress, late, other]) await stream.stop();
  const { status } = await follow(api, "", { "x-api-key": api.key, "last-event-id": "x" });
  assert.equal(status, 400);
});

test("a revoked key's stream ends within seconds, and a key has so many at once", async (t) => {
  const api = await startParley(t);
  const made = await api.post("/v1/api-keys", { name: "Watcher", mode: "test", scopes: ["read"] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { api_key, key_id } = made.body;
  const watcher = { url: api.url, key: api_key as string };
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(watcher)));
  assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
  const refused = await follow(watcher);
  assert.deepEqual([refused.status, JSON.parse(refused.body).code], [429, "rate_limited"]);
  assert.ok(refused.headers.get("retry-after"));
  await streams.pop()!.stop();
  const again = await until("there is room again", async () => {
    const stream = await follow(watcher);
    return stream.status === 200 && stream;
  });
  const own = await follow(api);
  assert.equal((await api.delete(`/v1/api-keys/${key_id}`)).status, 200);
  await Promise.all([...streams, again].map(({ over }) => over));
  assert.equal((await follow(watcher)).status, 401);
  await anAgent(api);
  await until("the other key's goes on", async () => own.events.length > 0);
  await own.stop();
});

test("a service that stops ends its streams at once", async (t) => {
  const api = await startParley(t);
  const streams = await Promise.all(Array.from({ length: 5 }, () => follow(api)));
  await api.stopAll();
  // Those that a stop has waited for in vain are cut.
  assert.deepEqual(await Promise.all(streams.map(({ over }) => over)), [true, true, true, true, true]);
});

test("imports, numbers, brands and do-not-call lists have events", async (t) => {
  const api = await startParley(t);
  const owner = await anAgent(api);
  const file = "phone_number,first_name\n+12125550111,Ann\nnobody,Bob\n";
  const { import_id } = await importFile(
    api,
    { organization_id: owner.organizationId, user_id: owner.userId } as never,
    file,
  );
  await until("the import is over", async () => {
    const { body } = await api.get(`/v1/contacts/imports/${import_id}`);
    return body.import.status === "completed";
  });
  await api.post("/v1/dnc/add", { phone_number: "+12125550112" });
  await api.post("/v1/dnc/add", { phone_number: "+12125550112" });
  await api.post("/v1/dnc/remove", { phone_number: "+12125550112" });
  const bought = await api.post("/v1/voice/phone-numbers/create", { area_code: "212" });
  const number = bought.body.phone_number as string;
  await api.delete(`/v1/voice/phone-numbers/${encodeURIComponent(number)}`);
  await api.patch(`/v1/agents/${owner.agentId}`, { agent_name: "Eva" });
  assert.equal((await api.delete(`/v1/agents/${owner.agentId}`)).status, 200);
  const log = await logWith(api, "agent.updated", 3);
  for (const event of log) isDescribed(event);
  const received = (kind: EventKind) =>
    log.flatMap((event) => (event.kind === kind ? [event.data as Record<string, unknown>] : []));
  const [finished] = received("import.finished");
  assert.deepEqual(
    [finished!.import_id, finished!.status, finished!.rows, finished!.created, finished!.failed],
    [import_id, "completed", 2, 1, 1],
  );
  assert.deepEqual(received("do_not_call.changed"), [
    { change: "added", entries: 1, phone_number: "+12125550112" },
    { change: "removed", entries: 1, phone_number: "+12125550112" },
  ]);
  assert.deepEqual(
    received("phone_number.changed").map((event) => [event.phone_number, event.change]),
    [
      [number, "bought"],
      [number, "released"],
    ],
  );
  assert.deepEqual(
    received("agent.updated").map((event) => [event.version, event.change]),
    [
      [1, "created"],
      [2, "updated"],
      [2, "deleted"],
    ],
  );
});
