import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner } from "#test/support/accounts/owner.ts";
import { misspellingsOf } from "#test/support/api/bad-values.ts";
import { type Described, type JsonSchema, nonconformance, readOperations, urlOf } from "#test/support/api/openapi.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aWorld, canSucceed } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Fields = Record<string, unknown>;

/** Answers as bytes of a thread, which has not seen the query. */
const BY_THREAD = new Set(["preflightCampaign"]);

/** What is wrong with a 400 that should name this name, and say which one was meant. */
function complaint(operation: Described, answer: Answer, name: string, meant: string): string | undefined {
  const said = `${operation.id} ${name}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
  if (answer.status !== 400 || answer.body.code !== "invalid_request") return said;
  const found = answer.body.details?.find(({ field }: { field: string }) => field === name);
  if (!found?.message.endsWith(`did you mean ${meant}?`)) return said;
  return nonconformance(operation, answer);
}

/** The words that a value has to be one of; none where it may be any. */
const choicesOf = (schema: JsonSchema): unknown[] =>
  schema.enum ?? (schema.anyOf ?? []).flatMap((branch) => ("const" in branch ? [branch.const] : (branch.enum ?? [])));

test("names that are not known", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const operations = await readOperations(api);
  const world = await aWorld(api);
  const owner = await anOwner(api);
  const ask = (operation: Described, params: Record<string, string>, query: Fields, body: unknown): Promise<Answer> =>
    api.request(operation.method, urlOf(operation.path, params, query), body ?? undefined);
  /** Nothing of what is asked may be wrong, or be written. */
  const eachIsRefused = async (asked: (operation: Described) => Promise<(string | undefined)[]>) => {
    const before = await digestOfRows(client);
    const problems: string[] = [];
    let tried = 0;
    for (const operation of operations) {
      const found = await asked(operation);
      tried += found.length;
      problems.push(...found.filter((problem) => problem !== undefined));
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(await digestOfRows(client), before);
    return tried;
  };

  await t.test("a field of any body that is misspelt by a letter is a 400 that says which was meant", async () => {
    const tried = await eachIsRefused(async (operation) => {
      if (!operation.body) return [];
      const { params, query, body } = await world.valid(operation, { full: true });
      const found: (string | undefined)[] = [];
      for (const { at, meant, body: misspelt } of misspellingsOf(operation.body, body)) {
        found.push(complaint(operation, await ask(operation, params, query, misspelt), at, meant));
      }
      return found;
    });
    assert.ok(tried > 200, `${tried} bodies`);
  });

  await t.test("a parameter of any query that is misspelt by a letter is a 400 that says which was meant", async () => {
    const tried = await eachIsRefused(async (operation) => {
      const { params, query, body } = await world.valid(operation, { full: true });
      const found: (string | undefined)[] = [];
      for (const meant of Object.keys(operation.query)) {
        const { [meant]: value = "x", ...rest } = query;
        const misspelt = { ...rest, [`${meant}q`]: value };
        found.push(complaint(operation, await ask(operation, params, misspelt, body), `${meant}q`, meant));
      }
      return found;
    });
    assert.ok(tried > 100, `${tried} queries`);
  });

  await t.test("a value that is none of a parameter's known ones is a 400 that names them", async () => {
    const tried = await eachIsRefused(async (operation) => {
      const { params, query, body } = await world.valid(operation);
      const found: (string | undefined)[] = [];
      for (const [name, { schema }] of Object.entries(operation.query)) {
        const choices = choicesOf(schema);
        if (choices.length === 0) continue;
        const answer = await ask(operation, params, { ...query, [name]: "banana" }, body);
        const message = `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
        const isNamed = JSON.stringify(answer.body.details) === JSON.stringify([{ field: name, message }]);
        found.push(answer.status === 400 && isNamed ? undefined : `${operation.id} ${name}: ${answer.body.error}`);
      }
      return found;
    });
    assert.ok(tried > 10, `${tried} queries`);
  });

  await t.test("any other name is taken by every operation, and named in the answer's warnings", async () => {
    const problems: string[] = [];
    for (const operation of operations.filter(canSucceed)) {
      const { params, query, body } = await world.valid(operation, { fresh: true });
      const isMap = operation.body?.additionalProperties !== undefined;
      const more = operation.body && !isMap ? { ...(body as Fields | null), for_our_own_use: 1 } : body;
      const answer = await ask(operation, params, { ...query, for_our_own_use: 1 }, more);
      const said = `${operation.id}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
      if (answer.status >= 300) problems.push(said);
      if (operation.success.type !== "application/json" || BY_THREAD.has(operation.id)) continue;
      const expected = [
        ...(more === body ? [] : ["for_our_own_use is not a known field: it was ignored"]),
        "for_our_own_use is not a known parameter: it was ignored",
      ];
      const { warnings = [] } = answer.body;
      if (JSON.stringify(warnings.toSorted()) !== JSON.stringify(expected)) problems.push(said);
      const problem = nonconformance(operation, answer);
      if (problem) problems.push(`${operation.id}: ${problem}`);
    }
    assert.deepEqual(problems, []);
  });

  await t.test("without such a name there are no warnings, and tenant_id is none anywhere", async () => {
    const { tenant_id } = (await api.get("/v1/me")).body;
    for (const operation of operations.filter((each) => canSucceed(each) && each.success.type === "application/json")) {
      const { params, query, body } = await world.valid(operation, { fresh: true });
      const answer = await ask(operation, params, { ...query, tenant_id }, body);
      assert.ok(answer.status < 300, `${operation.id}: ${answer.status} ${answer.body.error}`);
      assert.equal("warnings" in answer.body, false, `${operation.id}: ${answer.body.warnings}`);
    }
  });

  await t.test(
    "an agent's misspelt starting message, and queries that filter nothing, are said to be that",
    async () => {
      const agent = { ...owner, agent_type: "sms", agent_name: "Ava", prompt: "Ask." };
      const { status, body } = await api.post("/v1/agents", { ...agent, starting_mesage: "Hi" });
      assert.deepEqual(
        [status, body.error, body.details],
        [
          400,
          "starting_mesage is not a known field, did you mean starting_message?",
          [{ field: "starting_mesage", message: "is not a known field, did you mean starting_message?" }],
        ],
      );
      const drip = await api.post("/v1/agents", { ...agent, drip_schedule: [{ day: 1, message: "Hi", mesage: "Ho" }] });
      assert.deepEqual(
        [drip.status, drip.body.warnings],
        [201, ["drip_schedule[0].mesage is not a known field: it was ignored"]],
      );
      const calls = `/v1/voice/calls?organization_id=${owner.organization_id}`;
      assert.match(
        (await api.get(`${calls}&statuss=ended`)).body.error,
        /^statuss is not a known parameter, did you mean status\?/,
      );
      const found = (await api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}&page=2&extern=7`)).body;
      assert.deepEqual(found.warnings, [
        "page is not a known parameter: it was ignored",
        "extern is not a known parameter: it was ignored",
      ]);
    },
  );

  await t.test("a contact's fields may have any name, also one that is next to a known one", async () => {
    const contact = { phone_number: "+12125550123", frist_name: "Ann", phone_numbr: "x" };
    const list = { ...owner, list_name: "Any", contacts: [contact] };
    const made = await api.post("/v1/contacts/lists", list);
    assert.deepEqual([made.status, made.body.warnings, made.body.leads[0].frist_name], [201, undefined, "Ann"]);
    const { unique_id } = made.body.leads[0];
    const changed = await api.patch(`/v1/contacts/leads/${unique_id}`, { lastname: "Lee" });
    assert.deepEqual([changed.status, changed.body.warnings, changed.body.lead.lastname], [200, undefined, "Lee"]);
  });

  await t.test(
    "a body that is large enough for a thread has its warnings, and a repeat has those of the first",
    async () => {
      const contacts = Array.from({ length: 1_000 }, (_, i) => ({
        phone_number: `+1303555${String(i).padStart(4, "0")}`,
        notes: "n".repeat(100),
      }));
      const list = { ...owner, list_name: "Large", contacts, note: "ours" };
      const headers = { "idempotency-key": "large-list" };
      for (const isRepeat of [false, true]) {
        const { status, headers: sent, body } = await api.post("/v1/contacts/lists", list, { headers });
        assert.deepEqual([status, body.warnings], [201, ["note is not a known field: it was ignored"]]);
        assert.equal(sent.get("idempotent-replayed"), isRepeat ? "true" : null);
      }
    },
  );
});
