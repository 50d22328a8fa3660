import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls } from "#test/support/calls/calls.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const PATH = "/v1/voice/phone-numbers/health";
const OTHER = "+13125550100";
const DAY_MS = 86_400_000;

test("how numbers fare", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const now = Date.now();
  const ago = (ms: number) => new Date(now - ms);
  const missed = { status: "not_connected", duration_ms: 0, answered_at: null };
  await insertCalls(sql, of, [
    { start_at: ago(1_000) },
    { start_at: ago(2_000), in_voicemail: true, answerer: "voicemail" },
    { start_at: ago(3_000), ...missed, reason: "dial_no_answer" },
    { start_at: ago(4_000), ...missed, reason: "dial_failed" },
    { start_at: ago(5_000), ...missed, reason: "marked_as_spam" },
    { start_at: ago(6_000), direction: "inbound" },
    { start_at: ago(500), status: "ongoing", end_at: null, duration_ms: 0 },
    { start_at: ago(20 * DAY_MS), number: OTHER },
    { start_at: ago(40 * DAY_MS), number: OTHER },
  ]);
  const health = async (query = "", client: Pick<typeof api, "get"> = api) =>
    client.get(`${PATH}?organization_id=${of.publicOrganizationId}${query}`);

  await t.test("calls of each number are counted by outcome, with the time of its last call", async () => {
    const { status, body } = await health();
    assert.equal(status, 200);
    assert.equal(body.count, 2);
    const [mine, other] = body.numbers;
    assert.deepEqual(mine, {
      phone_number: SENDER,
      calls: 5,
      placed: 4,
      connected: 1,
      voicemail: 1,
      not_reached: 1,
      failed: 2,
      marked_as_spam: 1,
      inbound: 1,
      answer_rate: 0.25,
      last_call_at: ago(500).toISOString(),
    });
    assert.deepEqual([other.phone_number, other.calls, other.answer_rate], [OTHER, 1, 1]);
  });

  await t.test("a number to which no call came has no answer rate, as in the list of numbers", async () => {
    const number = "+13125550199";
    await insertCalls(sql, of, [{ start_at: ago(7_000), ...missed, reason: "dial_failed", number }]);
    const { numbers } = (await health()).body;
    const mine = numbers.find((each: { phone_number: string }) => each.phone_number === number);
    assert.deepEqual([mine.calls, mine.placed, mine.failed, mine.answer_rate], [1, 0, 1, null]);
    await sql.query("delete from calls where number = $1", [number]);
  });

  await t.test("of so many days, and of no other organization or tenant", async () => {
    assert.equal((await health("&days=10")).body.count, 1);
    assert.equal((await health("&days=60")).body.numbers[1].calls, 2);
    for (const days of ["0", "91", "x"]) {
      const { status, body } = await health(`&days=${days}`);
      assert.deepEqual([status, body.details[0].field], [400, "days"]);
    }
    assert.equal((await api.get(PATH)).body.details[0].field, "organization_id");
    const second = (await api.post("/v1/organizations", { name: "Second" })).body.unique_id;
    assert.equal((await api.get(`${PATH}?organization_id=${second}`)).body.count, 0);
    assert.equal((await health("", await anotherTenant(api))).status, 404);
  });
});
