import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Uuid } from "#domain/values/id.ts";
import { changeScreening } from "#operations/compliance/change-screening.ts";
import { checkNumbers } from "#operations/compliance/check-numbers.ts";
import { importNationalList, type NationalList } from "#operations/compliance/import-national-list.ts";
import { recordConsent } from "#operations/compliance/record-consent.ts";
import type { Context } from "#operations/context.ts";
import type { NumberQuestion, ReassignedNumbers } from "#ports/reassigned-numbers.ts";
import * as nationalLists from "#store/compliance/national-lists.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";

const DAY_MS = 86_400_000;
const { signal } = new AbortController();

async function* pieces(...texts: string[]) {
  yield* texts;
}

const load = (sending: Sending, text: string | string[], more: Partial<NationalList> = {}) =>
  importNationalList(sending.ctx, sending.tenantId, {
    kind: "full",
    listedOn: new Date(now(sending).getTime() - DAY_MS).toISOString().slice(0, 10),
    areaCodes: undefined,
    file: "test.txt",
    text: pieces(...(Array.isArray(text) ? text : [text])),
    ...more,
  });

const offsets = new WeakMap<Sending, number>();
const now = (sending: Sending) => new Date(Date.now() + offsets.get(sending)!);

/** A campaign to `count` phones of 212-444, and its tenant's own time. */
async function sending(t: TestContext, count: number): Promise<Sending> {
  const setup = await aSending(t, count);
  const { rows } = await setup.client.query("select clock_offset_ms::float8 as ms from tenants where mode = 'test'");
  offsets.set(setup, rows[0].ms);
  return setup;
}

const caller = (sending: Sending) => ({
  tenantId: sending.tenantId,
  accountId: sending.tenantId,
  keyId: sending.tenantId,
  mode: "test" as const,
  scopes: [],
  organizations: undefined,
  newId: sending.ctx.newId,
});

/** What became of each phone's starting text: "sent", or the state and the rule. */
async function outcomes(sending: Sending, ctx: Context = sending.ctx): Promise<string[]> {
  await drain(withCarrier(ctx, aCarrier(accepted)), sending.lane);
  const { rows } = await sending.client.query("select state, rule from messages where kind = 'start' order by phone");
  return rows.map(({ state, rule }) => (rule === null ? state : `${state} by ${rule}`));
}

const days = (sending: Sending, ago: number) => new Date(now(sending).getTime() - ago * DAY_MS).toISOString();

test("a number on the national list is not texted without a consent or a business relationship that stands", async (t) => {
  const setup = await sending(t, 5);
  const done = await load(setup, "212,4440000\n212,4440001\n2124440002\n212,4440003\n");
  assert.deepEqual(done, { areaCodes: [212], added: 4, deleted: 0, passedOver: 0 });
  const consent = (i: number, basis: "express" | "existing_business_relationship", ago: number) =>
    recordConsent(setup.ctx, caller(setup), phone(i), { basis, source: "test", obtained_at: days(setup, ago) });
  await consent(1, "express", 900);
  await consent(2, "existing_business_relationship", 500);
  await consent(3, "existing_business_relationship", 560);
  const listed = "suppressed by national_do_not_call";
  assert.deepEqual(await outcomes(setup), [listed, "accepted", "accepted", listed, "accepted"]);
});

test("the tenant's own list comes before any exemption", async (t) => {
  const setup = await sending(t, 1);
  await recordConsent(setup.ctx, caller(setup), phone(0), { basis: "express", source: "test" });
  await setup.api.post("/v1/dnc/add", { phone_number: phone(0) });
  assert.deepEqual(await outcomes(setup), ["suppressed by do_not_call"]);
});

test("an entry of one organization's list keeps back its own texts, and those of no other", async (t) => {
  const setup = await sending(t, 3);
  const { organization_id: other } = await anOwner(setup.api);
  const [own] = (await setup.api.get("/v1/organizations")).body.organizations.filter(
    (organization: { unique_id: string }) => organization.unique_id !== other,
  );
  await setup.api.post("/v1/dnc/add", { phone_number: phone(0), organization_id: own.unique_id });
  await setup.api.post("/v1/dnc/add", { phone_number: phone(1), organization_id: other });
  assert.deepEqual(await outcomes(setup), ["suppressed by do_not_call", "accepted", "accepted"]);
});

test("a list older than 31 days holds its area codes until it is renewed, or the operator lets it do", async (t) => {
  const setup = await sending(t, 2);
  const listedOn = days(setup, 33).slice(0, 10);
  await load(setup, "212,4440000\n", { listedOn });
  const expected = ["suppressed by national_do_not_call", "held by national_list_old"];
  assert.deepEqual(await outcomes(setup), expected);
  const { rows: holds } = await setup.client.query("select due_at > now() as waits from messages where state = 'held'");
  assert.deepEqual(holds, [{ waits: true }]);

  await changeScreening(setup.ctx, setup.tenantId, { oldListsUntil: days(setup, -1), reason: "the registry is down" });
  const { rows } = await setup.client.query("select reason, change from screening_changes");
  assert.equal(rows[0].reason, "the registry is down");
  await setup.client.query("update messages set due_at = created_at where state = 'held'");
  assert.deepEqual(await outcomes(setup), ["suppressed by national_do_not_call", "accepted"]);
});

test("area codes without a list are texted, unless the tenant's rule refuses them", async (t) => {
  const setup = await sending(t, 1);
  await load(setup, "303,5550100\n");
  await changeScreening(setup.ctx, setup.tenantId, { nationalAreas: "all", reason: "we sell" });
  assert.deepEqual(await outcomes(setup), ["held by national_list_missing"]);
  await load(setup, "", { areaCodes: [212] });
  await setup.client.query("update messages set due_at = created_at where state = 'held'");
  assert.deepEqual(await outcomes(setup), ["accepted"]);
});

test("consent that the tenant's rule requires has to be there", async (t) => {
  const setup = await sending(t, 3);
  await changeScreening(setup.ctx, setup.tenantId, { requireConsent: "express", reason: "marketing" });
  await recordConsent(setup.ctx, caller(setup), phone(1), { basis: "express_written", source: "test" });
  await recordConsent(setup.ctx, caller(setup), phone(2), { basis: "inquiry", source: "test" });
  const missing = "suppressed by consent_missing";
  assert.deepEqual(await outcomes(setup), [missing, "accepted", missing]);
  await assert.rejects(
    changeScreening(setup.ctx, setup.tenantId, { requireConsent: "much", reason: "x" }),
    /require-consent/,
  );
  await assert.rejects(changeScreening(setup.ctx, setup.tenantId, { reason: "x" }), /at least one rule/);
});

/** The number that the tenant's lists say of each line of 212-555. */
async function listed(sending: Sending, ...lines: number[]): Promise<string> {
  const phones = lines.map((line) => `+1212555${String(line).padStart(4, "0")}`);
  const found = new Map(
    (await nationalLists.look(sending.ctx.db, sending.tenantId, phones)).map((row) => [row.phone, row.listed]),
  );
  return phones.map((one) => (found.has(one) ? Number(found.get(one)) : "-")).join("");
}

test("a full list replaces the one before, at once and with all its numbers; a broken one changes nothing", async (t) => {
  const setup = await sending(t, 1);
  const day = (ago: number) => days(setup, ago).slice(0, 10);
  assert.equal(await listed(setup, 1), "-");
  await load(setup, "phone\n212,5550001\r\n212,5550002\n303,5550100\n", { listedOn: day(20) });
  assert.equal(await listed(setup, 1, 2, 3), "110");
  await assert.rejects(load(setup, ["212,5550003\n21", "2,555000"]), /line 2 is no phone number/);
  await assert.rejects(load(setup, "212,5550003,2026-11-01,A\n"), /this is a change list/);
  assert.equal(await listed(setup, 1, 2, 3), "110");
  // Cut anywhere: a line may begin in one piece of the file and end in the next.
  const done = await load(setup, ["212,55", "50003\n212,5550004\n30", "3,5550101\n"], { areaCodes: [212] });
  assert.deepEqual([done.added, done.passedOver], [2, 1]);
  assert.equal(await listed(setup, 1, 2, 3, 4), "0011");
  await assert.rejects(load(setup, "212,5550001\n", { listedOn: day(30) }), /newer list/);
  for (const listedOn of ["2026-02-30", "soon", day(-2)]) {
    await assert.rejects(load(setup, "212,5550001\n", { listedOn }), /^AppError: date must/);
  }
  const { rows } = await setup.client.query(
    "select count(distinct import_id)::int as n from national_numbers where prefix = 212555",
  );
  assert.deepEqual(rows, [{ n: 1 }], "what was replaced is gone");
});

test("a change list adds and deletes, renews the date of all that is covered, and can be read again", async (t) => {
  const setup = await sending(t, 1);
  const day = (ago: number) => days(setup, ago).slice(0, 10);
  await assert.rejects(load(setup, "212,5550001,A\n", { kind: "change" }), /full list first/);
  await load(setup, "212,5550001\n212,5550002\n303,5550100\n", { listedOn: day(40) });
  const changes = "212,5550002,2026-11-01,D\n212,5550003,2026-11-01,A\n404,5550100,2026-11-01,A\n";
  for (let i = 0; i < 2; i++) {
    const done = await load(setup, changes, { kind: "change", listedOn: day(3) });
    assert.deepEqual(done, { areaCodes: [212, 303], added: 1, deleted: 1, passedOver: 1 });
    assert.equal(await listed(setup, 1, 2, 3), "101");
  }
  await assert.rejects(load(setup, "212,5550009\n", { kind: "change" }), /this is a full list/);
  await assert.rejects(load(setup, changes, { kind: "change", listedOn: day(9) }), /newer than this change list/);
  const { rows } = await setup.client.query("select listed_on::text from national_areas");
  assert.deepEqual(rows, [{ listed_on: day(3) }, { listed_on: day(3) }]);
});

test("a change list that a full one overtakes is refused: its numbers went with the list that it changed", async (t) => {
  const setup = await sending(t, 1);
  const day = (ago: number) => days(setup, ago).slice(0, 10);
  await load(setup, "212,5550001\n", { listedOn: day(20) });
  async function* overtaken() {
    yield "212,5550002,2026-11-01,A\n";
    await load(setup, "212,5550001\n212,5550003\n", { listedOn: day(10) });
  }
  const changes = { kind: "change", listedOn: day(3) } as const;
  await assert.rejects(load(setup, "", { ...changes, text: overtaken() }), /loaded meanwhile; load this one again/);
  assert.equal(await listed(setup, 1, 2, 3), "101");
  const { rows } = await setup.client.query("select listed_on::text from national_areas");
  assert.deepEqual(rows, [{ listed_on: day(10) }]);
});

test("two change lists that bring the same new prefixes at once lose none of their numbers", async (t) => {
  const setup = await sending(t, 1);
  await load(setup, "212,5550001\n");
  const PREFIXES = 400;
  let ready = 0;
  const both = Promise.withResolvers<void>();
  async function* bringing(last: number) {
    for (let i = 0; i < PREFIXES; i++) yield `212,${200 + i}000${last},2026-11-01,A\n`;
    // Written once it has ended: in the same moment as the other.
    if (++ready === 2) both.resolve();
    await both.promise;
  }
  await Promise.all([1, 2].map((last) => load(setup, "", { kind: "change", text: bringing(last) })));
  const { rows } = await setup.client.query("select sum(bit_count(bits))::int as n from national_numbers");
  assert.deepEqual(rows, [{ n: 2 * PREFIXES }]);
});

test("lists belong to their tenant", async (t) => {
  const setup = await sending(t, 1);
  await load(setup, "212,5550001\n");
  const other = "019aa000-0000-7000-8000-000000000001" as Uuid;
  assert.deepEqual(await nationalLists.look(setup.ctx.db, other, ["+12125550001"]), []);
});

test("two million numbers in any order are read in memory that does not grow with them", async (t) => {
  const setup = await sending(t, 1);
  const lines = 1_000_000;
  const block = 20_000;
  // What is only waiting to be collected is more in a process that has done much before.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  let peak = 0;
  async function* text() {
    for (let from = 0; from < 2 * lines; from += block) {
      let out = "";
      // Each number is named twice, and neighbours stand far apart.
      for (let i = from; i < from + block; i++) out += `212${2_000_000 + ((i * 7_919) % lines)}\n`;
      yield out;
      if (from % (block * 10) === 0) peak = Math.max(peak, used());
    }
  }
  const before = used();
  const done = await load(setup, "", { text: text() });
  t.diagnostic(`${2 * lines} lines, ${((peak - before) / 2 ** 20).toFixed(0)} MB above the start`);
  assert.equal(done.added, 2 * lines);
  assert.ok(peak - before < 128 * 2 ** 20, `${peak - before} bytes`);
  const { rows } = await setup.client.query(
    "select count(*)::int as pieces, sum(bit_count(bits))::int as numbers from national_numbers",
  );
  assert.deepEqual(rows, [{ pieces: 100, numbers: lines }]);
});

function aDatabase(answers: Record<string, "yes" | "no" | "no_data">): ReassignedNumbers & { asked: NumberQuestion[] } {
  const asked: NumberQuestion[] = [];
  return {
    name: "stub",
    maxQuestions: 2,
    asked,
    async check(questions) {
      asked.push(...questions);
      return questions.map((question) => answers[question.phone] ?? "no");
    },
  };
}

test("the reassigned-numbers database is queried once a consent before the first text, and a yes blocks", async (t) => {
  const setup = await sending(t, 4);
  const database = aDatabase({ [phone(1)]: "yes", [phone(2)]: "no_data" });
  const ctx = { ...setup.ctx, reassignedNumbers: database };
  for (const i of [0, 1, 2]) {
    await recordConsent(ctx, caller(setup), phone(i), {
      basis: "express",
      source: "test",
      obtained_at: days(setup, 100),
    });
  }
  const waits = "held by reassigned_unchecked";
  assert.deepEqual(await outcomes(setup, ctx), [waits, waits, waits, "accepted"]);
  const { rows } = await setup.client.query(
    "select task_identifier from graphile_worker.jobs where key like 'check-numbers:%'",
  );
  assert.equal(rows.length, 1);
  await checkNumbers(ctx, setup.lane, signal);
  assert.deepEqual(await outcomes(setup, ctx), ["accepted", "suppressed by reassigned_number", "accepted", "accepted"]);
  assert.equal(database.asked.length, 3);
  assert.equal(
    database.asked[0]!.consentOn.toISOString(),
    days(setup, 100).slice(0, 10) + database.asked[0]!.consentOn.toISOString().slice(10),
  );

  // A new campaign uses the answers; a newer consent is asked about anew.
  await setup.client.query(
    "update messages set state = 'scheduled', rule = null, due_at = created_at where phone = any($1)",
    [[phone(1)]],
  );
  assert.equal((await outcomes(setup, ctx))[1], "suppressed by reassigned_number");
  await recordConsent(ctx, caller(setup), phone(1), { basis: "express", source: "test", obtained_at: days(setup, 1) });
  await setup.client.query(
    "update messages set state = 'scheduled', rule = null, due_at = created_at where phone = any($1)",
    [[phone(1)]],
  );
  assert.equal((await outcomes(setup, ctx))[1], waits);
  assert.equal(database.asked.length, 3);
});

test("while the reassigned-numbers database is away its texts wait, and nothing is taken for an answer", async (t) => {
  const setup = await sending(t, 1);
  const away = { ...aDatabase({}), check: () => Promise.reject(new Error("down")) };
  const ctx = { ...setup.ctx, reassignedNumbers: away };
  await recordConsent(ctx, caller(setup), phone(0), { basis: "express", source: "test" });
  const waits = ["held by reassigned_unchecked"];
  assert.deepEqual(await outcomes(setup, ctx), waits);
  await checkNumbers({ ...ctx, log: { ...ctx.log, warn() {} } }, setup.lane, signal);
  assert.deepEqual(await outcomes(setup, ctx), waits);
  await checkNumbers({ ...ctx, reassignedNumbers: aDatabase({}) }, setup.lane, signal);
  assert.deepEqual(await outcomes(setup, ctx), ["accepted"]);
});
