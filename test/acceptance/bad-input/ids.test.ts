import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import {
  type Described,
  fits,
  type JsonSchema,
  nonconformance,
  readOperations,
  urlOf,
} from "#test/support/api/openapi.ts";
import type { Answer } from "#test/support/api/parley.ts";
import { aWorld, NEVER } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { isSample, sampled } from "#test/support/source/draw.ts";

type Query = Record<string, unknown>;

/** What an answer says beside the id of its request. */
const words = ({ status, body }: Answer) => JSON.stringify([status, { ...body, request_id: "" }]);

/** Things in place of an id that are none. */
const STRANGE: readonly (readonly [b: string, what: string, id: string])[] = [
  ["B130", "SQL", "'; drop table tenants; --"],
  ["B130", "more SQL", "1 or 1=1"],
  ["B131", "10 kB", "x".repeat(10_000)],
  ["B037", "a NUL", "a\0b"],
  ["B040", "another script", "агент_01"],
  ["B036", "an encoded way up", "../../v1/me"],
  ["B132", "a thread without an underscore", "+12125550101-sms"],
  ["B133", "a space for the plus", " 12125550101_sms_campaign_never"],
  ["B134", "two underscores", "+12125550101__sms_campaign_never"],
  ["B061", "half a character", "%ED%A0%80"],
];

const isId = ({ description }: JsonSchema): boolean => description?.startsWith("Id of ") === true;

/** The parameter of a path that names a thing; a number where there is no other. */
const idOf = ({ pathParams }: Described): string =>
  pathParams.find((name) => name !== "phone_number") ?? pathParams[0]!;

test("ids, queries and page keys", async (t) => {
  const api = await startApiProcess(t);
  const client = await openClient(t, api.databaseUrl);
  const other = await anotherTenant(api);
  // A WebSocket that is asked for without an upgrade says that it is one, whatever its id: calls/spoken-handset.test.ts has those.
  const answering = (await readOperations(api)).filter(({ success }) => success.status !== 101);
  const operations = sampled(answering, 20, ({ id }) => id);
  const world = await aWorld(api);
  const theirs = await aWorld(other);
  const withIds = operations.filter((operation) => operation.pathParams.some((name) => name !== "phone_number"));

  const ask = async (
    operation: Described,
    params: Record<string, string>,
    query?: Query,
    body?: unknown,
  ): Promise<Answer> => api.request(operation.method, urlOf(operation.path, params, query), body);
  const withId = async (operation: Described, id: string): Promise<Answer> => {
    const sent = await world.valid(operation);
    return ask(operation, { ...sent.params, [idOf(operation)]: id }, sent.query, sent.body);
  };

  await t.test("B127, B128: an id of another kind and one of another tenant read like one that never was", async () => {
    const before = await digestOfRows(client);
    const wrong: string[] = [];
    // A voice is everybody's.
    for (const operation of withIds.filter((each) => idOf(each) !== "voice_id")) {
      const name = idOf(operation);
      const never = NEVER[name];
      assert.ok(never !== undefined, `${operation.id}: an id that never was is told in NEVER`);
      const random = await withId(operation, never);
      // A thread of which nothing was extracted is a 200 that says so, there or not.
      if (random.status !== 404 && operation.id !== "getExtraction") wrong.push(`${operation.id}: ${words(random)}`);
      const foreign = await withId(operation, String(theirs.named[name]));
      if (words(foreign).replaceAll(String(theirs.named[name]), never) !== words(random))
        wrong.push(`${operation.id}: ${words(foreign)}, not ${words(random)}`);
      for (const kind of Object.keys(NEVER).filter((each) => each !== name)) {
        const answer = await withId(operation, String(world.named[kind]));
        // What is no thread's id by its form is a 400 that says so.
        const isForm = name === "thread_id" && answer.status === 400 && wrongFields(answer)[0] === "thread_id";
        const said = words(answer).replaceAll(String(world.named[kind]), never);
        if (!isForm && said !== words(random)) wrong.push(`${operation.id} with a ${kind}: ${words(answer)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await digestOfRows(client), before);
  });

  await t.test(
    "B129: what has been deleted is a 404 everywhere but in reading the records of a campaign and the proofs of an erasure",
    async () => {
      const wrong: string[] = [];
      const gone: Record<string, string> = {};
      // What is deleted is what the path ends in: a path that goes on takes away a part of it.
      const whole = operations.filter(({ method, path }) => method === "DELETE" && path.endsWith("}"));
      for (const operation of whole.filter(({ pathParams }) => pathParams[0] !== "key_id")) {
        const sent = await world.valid(operation, { fresh: true });
        await ask(operation, sent.params);
        gone[operation.pathParams[0]!] = sent.params[operation.pathParams[0]!]!;
      }
      for (const operation of withIds) {
        const id = gone[idOf(operation)];
        if (id === undefined) continue;
        const answer = await withId(operation, id);
        const records =
          operation.pathParams[0] === "campaign_id" && operation.method === "GET" && answer.status === 200;
        if (answer.status !== 404 && !records && operation.id !== "getEvidence")
          wrong.push(`${operation.id}: ${words(answer)}`);
      }
      assert.deepEqual(wrong, []);
    },
  );

  await t.test("a 404 names the field that has the id, be it in the query or in the body", async () => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const { params, query, body } = await world.valid(operation);
      const asked = async (name: string, changed: { query?: Query; body?: unknown }) => {
        const answer = await ask(operation, params, changed.query ?? query, changed.body ?? body);
        if (answer.status === 404 && wrongFields(answer)[0] !== name)
          wrong.push(`${operation.id} ${name}: ${words(answer)}`);
      };
      const ofQuery = Object.entries(operation.query).filter(([, { schema }]) => isId(schema));
      for (const [name] of ofQuery) await asked(name, { query: { ...query, [name]: "never" } });
      const ofBody = Object.entries(operation.body?.properties ?? {}).filter(([, schema]) => isId(schema));
      for (const [name] of ofBody) await asked(name, { body: { ...(body as object), [name]: "never" } });
    }
    assert.deepEqual(wrong, []);
  });

  for (const [b, what, id] of STRANGE) {
    await t.test(`${b}: ${what} for an id is a 404 or a 400, never a 5xx`, async () => {
      const before = await digestOfRows(client);
      const wrong: string[] = [];
      for (const operation of operations.filter((each) => each.pathParams.length > 0)) {
        const answer = await withId(operation, id);
        const nothing = operation.id === "getExtraction" && answer.body.extraction === null;
        if (answer.status !== 404 && answer.status !== 400 && !nothing) wrong.push(`${operation.id}: ${words(answer)}`);
        const problem = nonconformance(operation, answer);
        if (problem) wrong.push(`${operation.id}: ${problem}`);
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(await digestOfRows(client), before);
    });
  }

  await t.test(
    "B072-B076, B055, B059, B062: every query's wrong values are a 400 that names it, others are taken",
    async () => {
      const before = await digestOfRows(client);
      const wrong: string[] = [];
      let tried = 0;
      for (const operation of operations) {
        const sent = await world.valid(operation);
        for (const [name, { schema, required }] of Object.entries(operation.query)) {
          for (const value of queryValues(schema)) {
            tried++;
            const answer = await ask(operation, sent.params, { ...sent.query, [name]: value }, sent.body);
            const bad = !fits(schema, read(schema, value));
            const said = `${operation.id}?${name}=${value.slice(0, 30)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
            if (bad && !isRefused(answer, name)) wrong.push(said);
            if (answer.status >= 500 || nonconformance(operation, answer))
              wrong.push(`${said} ${nonconformance(operation, answer)}`);
          }
          const twice = await api.request(
            operation.method,
            `${urlOf(operation.path, sent.params, sent.query)}${Object.keys(sent.query).length ? "&" : "?"}${name}=1&${name}=2`,
          );
          if (!isRefused(twice, name)) wrong.push(`${operation.id}?${name} twice: ${words(twice)}`);
          const { [name]: _, ...without } = sent.query;
          const missing = required ? await ask(operation, sent.params, without) : undefined;
          if (missing && !isRefused(missing, name)) wrong.push(`${operation.id} without ${name}: ${words(missing)}`);
        }
      }
      t.diagnostic(`${tried} queries`);
      assert.deepEqual(wrong, []);
      assert.deepEqual(await digestOfRows(client), before);
    },
  );

  await t.test(
    "B077: a malformed page key is a 400, B078-B081: one of another list, tenant or time shows nobody else's rows",
    async () => {
      const wrong: string[] = [];
      const lists = operations.filter((operation) => "pagination_key" in operation.query);
      const foreign = new Set(
        Object.values(theirs.named).filter(
          (value): value is string => typeof value === "string" && value.includes("_0"),
        ),
      );
      const last = (uuid: string) => Buffer.from(uuid, "hex").toString("base64url");
      const keys = [
        last("f".repeat(32)),
        last("0".repeat(32)),
        last("01".repeat(16)),
        Buffer.from("+12125550199|x").toString("base64url"),
      ];
      for (const operation of lists) {
        const sent = await world.valid(operation);
        for (const key of ["x", "!!", "a".repeat(199), "AAAA", "%00", last("ff")]) {
          const answer = await ask(operation, sent.params, { ...sent.query, pagination_key: key });
          if (!isRefused(answer, "pagination_key")) wrong.push(`${operation.id} ${key}: ${words(answer)}`);
        }
        for (const key of keys) {
          const answer = await ask(operation, sent.params, { ...sent.query, pagination_key: key });
          if (answer.status !== 200 && !isRefused(answer, "pagination_key"))
            wrong.push(`${operation.id} ${key}: ${words(answer)}`);
          const shown = JSON.stringify(answer.body);
          for (const id of foreign) if (shown.includes(id)) wrong.push(`${operation.id} shows ${id}`);
        }
      }
      assert.ok(isSample || lists.length > 8);
      assert.deepEqual(wrong, []);
    },
  );

  await t.test("nothing of it made the api complain", () => assert.deepEqual(api.complaints, []));
});

const isRefused = (answer: Answer, name: string): boolean =>
  answer.status === 400 && wrongFields(answer).some((field) => field === name);

const NUMBERS = [
  "0",
  "501",
  "-5",
  "abc",
  "1.5",
  "1e2",
  "",
  "1000000000",
  "9007199254740993",
  "0x10",
  " 1",
  "+1",
  "NaN",
];
const TEXTS = [
  "",
  " ",
  "a\0b",
  "\u202eabc",
  "x".repeat(300),
  "'; drop table tenants; --",
  "<script>",
  "😀",
  "[]",
  "true",
];

function queryValues(schema: JsonSchema): string[] {
  if (schema.type === "integer") return NUMBERS;
  if (schema.type === "boolean") return ["TRUE", "1", "yes", "", "null"];
  return [...TEXTS, ...(schema.maxLength ? ["x".repeat(schema.maxLength + 1)] : [])];
}

/** As a query is read: a text that is no whole number stays a text. */
const read = (schema: JsonSchema, text: string): unknown =>
  schema.type === "integer" && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
