import assert from "node:assert/strict";
import { test } from "node:test";
import { publicId } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Page = {
  count: number;
  has_more: boolean;
  next_pagination_key: string | null;
  calls: Record<string, unknown>[];
};

const START = Date.parse("2026-11-20T15:00:00.000Z");
/** The n-th call, a second after the one before. */
const at = (n: number) => new Date(START + n * 1_000);

test("the calls of a campaign", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const campaign_id = await insertVoiceCampaign(sql, of, "spring");
  // Oldest first: connected, voicemail, failed, connected, ... and each sentiment in turns of four.
  const kinds = [
    {},
    { in_voicemail: true, answerer: "voicemail", duration_ms: 9_000 },
    { status: "not_connected", reason: "dial_busy", answerer: null, answered_at: null, duration_ms: 0 },
  ];
  const sentiments = ["Positive", "Negative", "Neutral", "Unknown"];
  const ids = await insertCalls(
    sql,
    of,
    Array.from({ length: 12 }, (_, n) => ({
      ...kinds[n % 3],
      sentiment: sentiments[n % 4],
      campaign_id,
      start_at: at(n),
      ...(n % 3 === 2 ? {} : { detail: { transcript: `Agent: Hi ${n}.\n`, extracted_fields: { interest: n } } }),
    })),
  );
  await insertCalls(sql, of, [{ start_at: at(100) }, { start_at: at(-100) }]);
  const newestFirst = ids.map((id) => publicId("call", id)).reverse();
  const list = async (query = "", as: Pick<Parley, "get"> = api): Promise<Page> => {
    const { status, body } = await as.get(`/v1/voice/campaigns/spring/calls${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const idsOf = (page: Page) => page.calls.map((call) => call.call_id);

  await t.test(
    "a call has the interface's fields, the contact's name and what it came to, and why it ended is not among them",
    async () => {
      const { body } = await api.get("/v1/voice/campaigns/spring/calls");
      assert.deepEqual(Object.keys(body), [
        "success",
        "campaign_id",
        "calls",
        "count",
        "has_more",
        "next_pagination_key",
        "powered_by",
      ]);
      assert.equal(body.campaign_id, "spring");
      assert.deepEqual(body.calls[2], {
        call_id: newestFirst[2],
        to_number: "+12125550123",
        from_number: "+12125550100",
        call_successful: false,
        in_voicemail: false,
        call_status: "ended",
        call_result: "nothing_said",
        user_sentiment: "Negative",
        call_duration_ms: 60_000,
        start_timestamp: "2026-11-20T15:00:09.000Z",
        end_timestamp: "2026-11-20T15:01:09.000Z",
        transcript: "Agent: Hi 9.\n",
        extracted_fields: { interest: 9 },
        contact_name: null,
      });
      const failed = body.calls[0];
      assert.deepEqual([failed.call_status, failed.transcript, failed.extracted_fields], ["not_connected", "", {}]);
    },
  );

  await t.test("rule 1: they come by start_timestamp, newest first, and no others among them", async () => {
    assert.deepEqual(idsOf(await list()), newestFirst);
  });

  await t.test("rule 2: the key is the last call's start_timestamp, and an exclusive upper bound", async () => {
    const first = await list("?limit=5");
    assert.equal(first.next_pagination_key, first.calls.at(-1)!.start_timestamp);
    assert.equal(first.next_pagination_key, at(7).toISOString());
    const next = await list(`?limit=5&pagination_key=${first.next_pagination_key}`);
    assert.deepEqual(idsOf(next), newestFirst.slice(5, 10));
    // A millisecond later, and the call itself is before it.
    const later = new Date(at(7).getTime() + 1).toISOString();
    assert.deepEqual(idsOf(await list(`?limit=1&pagination_key=${later}`)), [newestFirst[4]]);
    const elsewhere = encodeURIComponent("2026-11-20T16:00:07.000+01:00");
    assert.deepEqual(idsOf(await list(`?limit=5&pagination_key=${elsewhere}`)), newestFirst.slice(5, 10));
  });

  await t.test(
    "rule 3: filters come after the page is cut, so that it may be short, or empty, and more follow",
    async () => {
      const page = await list("?limit=4&status=failed");
      assert.deepEqual([page.count, page.has_more], [2, true]);
      assert.deepEqual(idsOf(page), [newestFirst[0], newestFirst[3]]);
      assert.equal(page.next_pagination_key, at(8).toISOString(), "of the page before it was filtered");
      const empty = await list("?limit=1&status=connected");
      assert.deepEqual([empty.count, empty.has_more, empty.calls], [0, true, []]);
      assert.equal(empty.next_pagination_key, at(11).toISOString());
    },
  );

  await t.test("rule 3: who loops on has_more has every call that passes, once", async () => {
    for (const [query, wanted] of [
      ["status=connected", newestFirst.filter((_, i) => (11 - i) % 3 === 0)],
      ["sentiment=Unknown", newestFirst.filter((_, i) => (11 - i) % 4 === 3)],
      ["status=voicemail&sentiment=Negative", newestFirst.filter((_, i) => (11 - i) % 12 === 1)],
    ] as const) {
      const seen: unknown[] = [];
      let page = await list(`?limit=3&${query}`);
      seen.push(...idsOf(page));
      while (page.has_more) {
        page = await list(`?limit=3&${query}&pagination_key=${page.next_pagination_key}`);
        seen.push(...idsOf(page));
      }
      assert.deepEqual(seen, wanted, query);
    }
  });

  await t.test("rule 4: count is that of the page, after the filters", async () => {
    for (const query of ["", "?limit=5", "?limit=7&sentiment=Positive", "?status=voicemail"]) {
      const page = await list(query);
      assert.equal(page.count, page.calls.length, query);
    }
  });

  await t.test("rule 5: the last page has no key, be it full or not", async () => {
    for (const query of [
      "",
      "?limit=12",
      "?limit=12&status=failed",
      `?limit=5&pagination_key=${at(2).toISOString()}`,
    ]) {
      const page = await list(query);
      assert.deepEqual([page.has_more, page.next_pagination_key], [false, null], query);
    }
    assert.equal((await list("?limit=11")).has_more, true);
  });

  await t.test("rule 6: the same key has the same page, also while new calls come", async () => {
    const query = `?limit=4&pagination_key=${at(9).toISOString()}`;
    const first = await list(query);
    await insertCalls(sql, of, [{ campaign_id, start_at: at(50) }]);
    assert.deepEqual(await list(query), first);
    await sql.query("delete from calls where start_at = $1", [at(50)]);
  });

  await t.test("status: connected, voicemail, failed, all", async () => {
    const of = async (status: string) => (await list(`?status=${status}`)).calls;
    assert.deepEqual(idsOf({ calls: await of("all") } as Page), newestFirst);
    const [connected, voicemail, failed] = [await of("connected"), await of("voicemail"), await of("failed")];
    assert.deepEqual([connected.length, voicemail.length, failed.length], [4, 4, 4]);
    assert.ok(connected.every((call) => Number(call.call_duration_ms) > 0 && call.in_voicemail === false));
    assert.ok(voicemail.every((call) => call.in_voicemail === true));
    assert.ok(failed.every((call) => call.call_duration_ms === 0 && call.in_voicemail === false));
  });

  await t.test("sentiment: one of the four", async () => {
    for (const sentiment of sentiments) {
      const { calls } = await list(`?sentiment=${sentiment}`);
      assert.equal(calls.length, 3);
      assert.ok(calls.every((call) => call.user_sentiment === sentiment));
    }
  });

  await t.test("limit is 1 to 500, 100 by default", async () => {
    const many = await insertVoiceCampaign(sql, of, "many");
    const started = Array.from({ length: 501 }, (_, n) => new Date(START + 10_000_000 + n));
    await insertCalls(
      sql,
      of,
      started.map((start_at) => ({ campaign_id: many, start_at })),
    );
    const get = (query: string) => api.get(`/v1/voice/campaigns/many/calls${query}`);
    assert.equal((await get("")).body.count, 100);
    const { body } = await get("?limit=500");
    assert.deepEqual([body.count, body.has_more], [500, true]);
    for (const limit of ["0", "501", "-1", "x", "1.5", ""]) {
      assert.equal((await get(`?limit=${limit}`)).status, 400, limit);
    }
  });

  await t.test("wrong filters and keys are a 400 that names them", async () => {
    for (const [name, value] of [
      ["status", "ended"],
      ["status", "Connected"],
      ["sentiment", "positive"],
      ["pagination_key", "nonsense"],
      ["pagination_key", "2026-11-20"],
      ["pagination_key", "1763650800000"],
    ]) {
      const { status, body } = await api.get(`/v1/voice/campaigns/spring/calls?${name}=${value}`);
      assert.deepEqual([status, body.details?.[0].field], [400, name], value);
    }
  });

  await t.test("a campaign that is not there, an SMS campaign and another tenant's are the same 404", async () => {
    const other = await anotherTenant(api);
    const missing = await api.get("/v1/voice/campaigns/never/calls");
    assert.deepEqual([missing.status, missing.body.error], [404, "Campaign not found"]);
    assert.equal((await other.get("/v1/voice/campaigns/spring/calls")).status, 404);
    await aCampaign(api, { contacts: [{ phone_number: "+12125550123" }], campaign: { campaign_id: "texts" } });
    assert.equal((await api.get("/v1/voice/campaigns/texts/calls")).status, 404);
  });

  await t.test("the contact of a call is named, in its campaign's calls and with the call", async () => {
    const named = await insertVoiceCampaign(sql, of, "named");
    const owner = { organization_id: of.publicOrganizationId, user_id: of.publicUserId };
    const ann = { phone_number: "+12125550123", first_name: "Ann", last_name: "Lee" };
    const listed = await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts: [ann] });
    assert.equal(listed.status, 201);
    const { rows } = await sql.query("select id from contacts where organization_id = $1 and phone = $2", [
      of.organizationId,
      ann.phone_number,
    ]);
    const [id] = await insertCalls(sql, of, [{ campaign_id: named, contact_id: rows[0].id, start_at: at(30_000) }]);
    const { body } = await api.get("/v1/voice/campaigns/named/calls");
    assert.equal(body.calls[0].contact_name, "Ann Lee");
    const { call } = (await api.get(`/v1/voice/calls/${publicId("call", id!)}`)).body;
    assert.deepEqual([call.contact_name, call.lead_id], ["Ann Lee", publicId("contact", rows[0].id)]);
  });

  await t.test("a call that goes on is listed, without what is not known of it yet", async () => {
    const live = await insertVoiceCampaign(sql, of, "live");
    const open = {
      status: "ongoing",
      reason: null,
      answerer: null,
      duration_ms: 0,
      end_at: null,
      sentiment: "Unknown",
    };
    await insertCalls(sql, of, [{ ...open, campaign_id: live, start_at: at(20_000) }]);
    const { body } = await api.get("/v1/voice/campaigns/live/calls");
    assert.deepEqual([body.calls[0].call_status, body.calls[0].end_timestamp], ["ongoing", null]);
  });
});
