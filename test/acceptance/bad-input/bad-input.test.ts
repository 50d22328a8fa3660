import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import {
  type Described,
  fits,
  nonconformance,
  readAllOperations,
  readOperations,
  urlOf,
} from "#test/support/api/openapi.ts";
import type { Answer } from "#test/support/api/parley.ts";
import { aWorld, canSucceed, type Sent } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { processorMsOf } from "#test/support/processes/processor-ms.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** As long as the api computes for one of them at most: whatever else the machine does is not in it. */
const COMPUTES_MS = 5_000;
const MB = 1024 * 1024;

/** Whether a path of the one pattern, filled in with a word, is one of the other too. */
const isAlike = (path: string, other: string): boolean =>
  new RegExp(`^${other.replace(/\{\w+\}/g, "[^/]+")}$`).test(path.replace(/\{\w+\}/g, "x"));

type Body = string | Uint8Array;
type Whole = { b: string; what: string; body: Body; status: readonly number[] };

const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));
const times = (count: number, text: string) => Array.from({ length: count }, () => text).join("");

/** Bodies that are wrong as a whole, whatever the operation. */
const WHOLE: readonly Whole[] = [
  { b: "B001", what: "an empty body", body: "", status: [400] },
  { b: "B002", what: "null", body: "null", status: [400] },
  { b: "B003", what: "an array", body: "[]", status: [400] },
  { b: "B004", what: "a string", body: '"str"', status: [400] },
  { b: "B005", what: "a number", body: "42", status: [400] },
  { b: "B006", what: "truncated JSON", body: '{"name": "A', status: [400] },
  { b: "B007", what: "a trailing comma", body: '{"name": "A",}', status: [400] },
  { b: "B008", what: "two documents", body: '{"name": "A"}{"name": "B"}', status: [400] },
  { b: "B010", what: "UTF-16", body: bytes('{"name": "A"}', "utf16le"), status: [400] },
  { b: "B010", what: "bytes that are no UTF-8", body: bytes('{"name": "\xff"}', "latin1"), status: [400] },
  { b: "B012", what: "a __proto__ key", body: '{"__proto__": {"admin": true}}', status: [400] },
  {
    b: "B013",
    what: "a constructor.prototype key",
    body: '{"constructor": {"prototype": {"admin": true}}}',
    status: [400],
  },
];

/** What a body may have in a field that no operation knows. */
const UNKNOWN = {
  deep: `${times(10_000, "[")}${times(10_000, "]")}`,
  deepObjects: `${times(3_000, '{"a":')}1${times(3_000, "}")}`,
  keys: `{${Array.from({ length: 100_000 }, (_, i) => `"${i.toString(36)}":1`).join(",")}}`,
  million: `[${times(999_999, "1,")}1]`,
  fit: `[${times(400_000, "1,")}1]`,
};

/** A valid body with this in such a field. */
const withUnknown = (body: unknown, unknown: string): string =>
  body === null || Object.keys(body as object).length === 0
    ? `{"x":${unknown}}`
    : `{"x":${unknown},${JSON.stringify(body).slice(1)}`;

test("bad input", async (t) => {
  const api = await startApiProcess(t, { PARLEY_AUTH_FAILURE_LIMIT: "0" });
  const client = await openClient(t, api.databaseUrl);
  const operations = await readOperations(api);
  const withBody = operations.filter((operation) => operation.body !== undefined);
  const world = await aWorld(api);
  const resident: number[] = [];
  let longestMs = 0;

  const ask = async (operation: Described, sent: Sent, body: Body | undefined, more = {}): Promise<Answer> => {
    const before = processorMsOf(api.child.pid!);
    const answer = await api.request(operation.method, urlOf(operation.path, sent.params, sent.query), body, more);
    longestMs = Math.max(longestMs, processorMsOf(api.child.pid!) - before);
    return answer;
  };
  /** Sends something to every one of these operations; each must refuse it so, by its own description, and write nothing. */
  const eachRefuses = async (
    these: readonly Described[],
    status: readonly number[],
    send: (operation: Described, sent: Sent) => Promise<Answer>,
  ) => {
    const before = await digestOfRows(client);
    const wrong: string[] = [];
    for (const operation of these) {
      const answer = await send(operation, await world.valid(operation));
      const said = `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
      const problem = status.includes(answer.status) ? nonconformance(operation, answer) : said;
      if (problem) wrong.push(`${operation.id}: ${problem}`);
      else if (answer.headers.get("x-request-id") !== answer.body.request_id)
        wrong.push(`${operation.id}: no request id`);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await digestOfRows(client), before);
    resident.push(api.residentBytes());
  };

  for (const full of [false, true]) {
    await t.test(
      `good input is taken by every operation, as described, with ${full ? "every" : "no optional"} field`,
      async () => {
        const wrong: string[] = [];
        for (const operation of operations.filter(canSucceed)) {
          const sent = await world.valid(operation, { full, fresh: true });
          const answer = await api.request(operation.method, urlOf(operation.path, sent.params, sent.query), sent.body);
          const problem =
            answer.status >= 400 ? `${answer.status} ${answer.body.error}` : nonconformance(operation, answer);
          if (problem) wrong.push(`${operation.id}: ${problem}: ${JSON.stringify(sent)}`);
        }
        assert.deepEqual(wrong, [], "a new operation's values are told in test/support/api/world.ts");
      },
    );
  }

  for (const { b, what, body, status } of WHOLE) {
    await t.test(`${b}: a body of ${what} is refused by every operation that takes one`, async () => {
      // A body that may be left out may also be null.
      const these = withBody.filter((operation) => !(b <= "B002" && fits(operation.body!, null)));
      await eachRefuses(these, status, (operation, sent) => ask(operation, sent, body));
    });
  }

  await t.test("B014: what is nested too deep is a 400 that says so, also in unknown fields", async () => {
    for (const unknown of [UNKNOWN.deep, UNKNOWN.deepObjects]) {
      await eachRefuses(withBody, [400], async (operation, sent) => {
        const answer = await ask(operation, sent, withUnknown(sent.body, unknown));
        if (operation.takesJson) assert.match(answer.body.error, /nested deeper than 64 levels/, operation.id);
        return answer;
      });
    }
  });

  await t.test(
    "B015: 100,000 keys, B016: a million items that nobody asked for are taken or refused, in time",
    async () => {
      const statuses = new Map<string, Set<number>>();
      for (const [what, unknown] of Object.entries({
        keys: UNKNOWN.keys,
        million: UNKNOWN.million,
        fit: UNKNOWN.fit,
      })) {
        for (const operation of withBody.filter(canSucceed)) {
          const sent = await world.valid(operation, { fresh: true });
          const { status, body } = await ask(operation, sent, withUnknown(sent.body, unknown));
          // 400 is what contacts say, whose unknown fields are stored: a list is none of them.
          const isFine = status < 300 || status === 400 || status === 413;
          assert.ok(isFine, `${operation.id}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
          statuses.set(what, (statuses.get(what) ?? new Set()).add(status));
        }
      }
      // What fits into a body is taken, except for names without end.
      assert.deepEqual([...statuses.get("keys")!], [413]);
      assert.ok(statuses.get("million")!.has(413) && ![...statuses.get("fit")!].includes(413));
    },
  );

  await t.test(
    "B009: a byte order mark is ignored, B011: of keys that come twice the last wins, everywhere",
    async () => {
      for (const operation of withBody.filter(canSucceed)) {
        const sent = await world.valid(operation, { fresh: true });
        const text = JSON.stringify(sent.body);
        const marked = await ask(operation, sent, `\uFEFF${text}`);
        assert.ok(marked.status < 300, `${operation.id}: ${JSON.stringify(marked.body)}`);
        // The last, which is right, counts; the first would be a 400.
        const [name] = Object.keys((sent.body as object | null) ?? {});
        if (name === undefined) continue;
        const fresh = await world.valid(operation, { fresh: true });
        const twice = JSON.stringify(fresh.body).replace("{", `{"${name}": {"wrong": [true]},`);
        const answer = await ask(operation, fresh, twice);
        assert.ok(answer.status < 300, `${operation.id}: ${JSON.stringify(answer.body)}`);
      }
    },
  );

  await t.test("B017: a body that is a byte over the limit is a 413, and its connection is closed", async () => {
    const bulk = new Set([
      "createCampaign",
      "addCampaignLeads",
      "createContactList",
      "preflightNewCampaign",
      "createVoiceCampaign",
      "preflightNewVoiceCampaign",
      "addVoiceCampaignLeads",
    ]);
    const small = withBody.filter((operation) => !bulk.has(operation.id) && operation.id !== "importDoNotCall");
    const limit = `{"x": "${"x".repeat(MB)}"}`.slice(0, MB + 1 - 2).concat('"}');
    assert.equal(limit.length, MB + 1);
    await eachRefuses(small, [413], async (operation, sent) => {
      const answer = await ask(operation, sent, limit);
      assert.equal(answer.headers.get("connection"), "close", operation.id);
      return answer;
    });
  });

  await t.test(
    "B019: a gzip bomb is a 415 before a byte of it is unpacked, B020: so is an unknown encoding",
    async () => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(100 * MB, " ")));
      for (const [encoding, body] of [
        ["gzip", bomb],
        ["deflate", bomb],
        ["br", bomb],
        ["x-nothing", "{}"],
      ] as const) {
        await eachRefuses(withBody, [415], (operation, sent) =>
          ask(operation, sent, body, { headers: { "content-encoding": encoding } }),
        );
      }
    },
  );

  await t.test("B021, B023, B024: another Content-Type or charset, a form and multipart are a 415", async () => {
    const types = [
      "text/plain",
      "application/json; charset=latin1",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "*/*",
    ];
    for (const type of types) {
      await eachRefuses(withBody, [415], (operation, sent) =>
        ask(operation, sent, JSON.stringify(sent.body), { headers: { "content-type": type } }),
      );
    }
  });

  await t.test(
    "B032, B033: a method that a path does not have is a 405 that says which it has; B034: an override is ignored",
    async () => {
      // Those that only persons or live keys may ask for are a path's methods too.
      const all = Map.groupBy(await readAllOperations(api), (operation) => operation.path);
      for (const [path, these] of Map.groupBy(operations, (operation) => operation.path)) {
        // A word may stand where another path of ours has an id.
        const alike = [...all.keys()].filter((other) => isAlike(path, other));
        const has = [...new Set(alike.flatMap((other) => all.get(other)!.map((operation) => operation.method)))];
        const sent = await world.valid(these[0]!);
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !has.includes(method))) {
          const answer = await api.request(method, urlOf(path, sent.params));
          assert.deepEqual([answer.status, answer.body.code], [405, "method_not_allowed"], `${method} ${path}`);
          assert.deepEqual(answer.headers.get("allow")?.split(", ").toSorted(), has.toSorted(), path);
        }
      }
      // Who takes the proofs of a contact is written down each time.
      const reads = operations.filter(({ id, method }) => method === "GET" && id !== "getEvidence").filter(canSucceed);
      // Reading brands, their campaigns and toll-free verifications asks the registry, whose verdicts are written down the first time: by then all are there.
      await api.post("/v1/simulator/clock", { advance_ms: 60_000 });
      for (const path of ["10dlc/brand", "10dlc/campaign", "toll-free/verifications"]) await api.get(`/v1/${path}`);
      const before = await digestOfRows(client);
      for (const operation of reads) {
        for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
          const answer = await ask(operation, await world.valid(operation), undefined, {
            headers: { [name]: "DELETE" },
          });
          assert.equal(answer.status, 200, operation.id);
        }
      }
      assert.deepEqual(await digestOfRows(client), before);
    },
  );

  await t.test(
    "B041-B043, B045: no key, an empty, a wrong and a cut one, and one in the query are the same 401",
    async () => {
      const texts = new Set<string>();
      // Its details say what is wrong with the key, and are the same wherever it is sent.
      const faults = new Set<string>();
      for (const key of [null, "", "nonsense", "pk_test_", api.key.slice(0, -1), `${api.key}x`, "x".repeat(8_000)]) {
        await eachRefuses(operations, [401], async (operation, sent) => {
          const answer = await ask(operation, sent, sent.body === undefined ? undefined : JSON.stringify(sent.body), {
            key,
          });
          texts.add(JSON.stringify({ ...answer.body, request_id: "", details: "" }));
          if (answer.status === 401) faults.add(`${key?.slice(0, 8)}: ${answer.body.details[0].message.split(":")[0]}`);
          return answer;
        });
      }
      assert.equal(texts.size, 1);
      assert.deepEqual(
        [...faults],
        [
          "undefined: is missing",
          ": is malformed",
          "nonsense: is malformed",
          "pk_test_: is malformed",
          "pk_test_: is unknown",
          "xxxxxxxx: is malformed",
        ],
      );
      const inQuery = await api.get(`/v1/me?x-api-key=${api.key}&api_key=${api.key}`, { key: null });
      assert.equal(inQuery.status, 401);
    },
  );

  await t.test(
    "B048, B049: a revoked and an expired key are a 401, B050: one without the scope is a 403, everywhere",
    async () => {
      const revoked = (await api.post("/v1/api-keys", { name: "R" })).body;
      await api.delete(`/v1/api-keys/${revoked.key_id}`);
      const expired = (await api.post("/v1/api-keys", { name: "E" })).body;
      await client.query("update api_keys set expires_at = now() - interval '1 second' where name = 'E'");
      for (const key of [revoked.api_key, expired.api_key]) {
        await eachRefuses(operations, [401], (operation, sent) => ask(operation, sent, undefined, { key }));
      }
      for (const scope of ["read", "write", "send", "admin"]) {
        const others = ["read", "write", "send", "admin"].filter((other) => other !== scope);
        const { api_key: key } = (await api.post("/v1/api-keys", { name: "S", scopes: others })).body;
        const these = operations.filter((operation) => operation.scope === scope && operation.id !== "getMe");
        assert.ok(these.length > 0, scope);
        await eachRefuses(these, [403], (operation, sent) => ask(operation, sent, undefined, { key }));
      }
    },
  );

  await t.test("B057, B058: read-only fields are never applied, and is_admin changes nothing", async () => {
    const other = await anotherTenant(api);
    const theirs = (await other.get("/v1/me")).body.tenant_id;
    const ours = {
      status: "completed",
      unique_id: "org_00000000000000000000000001",
      powered_by: "Me",
      is_admin: true,
      created_at: "2000-01-01T00:00:00Z",
    };
    for (const operation of withBody.filter(canSucceed)) {
      const sent = await world.valid(operation, { fresh: true });
      const answer = await ask(operation, sent, JSON.stringify({ ...ours, ...(sent.body as object | null) }));
      assert.ok(answer.status < 300, `${operation.id}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.body.powered_by, "Parley", operation.id);
      assert.notEqual(answer.body.unique_id, ours.unique_id, operation.id);
      assert.notEqual(answer.body.created_at, ours.created_at, operation.id);
      assert.notEqual(answer.body.status, "completed", operation.id);
      // Said of a tenant that is not the key's own, it is refused.
      if (!operation.body?.properties?.tenant_id) continue;
      const foreign = await ask(operation, sent, JSON.stringify({ ...(sent.body as object), tenant_id: theirs }));
      assert.deepEqual([foreign.status, foreign.body.code], [403, "wrong_tenant"], operation.id);
    }
  });

  await t.test("all of it was answered in time, and the api's memory stayed where it was", () => {
    const early = Math.max(...resident.slice(0, Math.ceil(resident.length / 2)));
    const late = Math.max(...resident.slice(Math.ceil(resident.length / 2)));
    t.diagnostic(
      `at most ${longestMs} ms of work, resident at most ${Math.round(early / MB)}, then ${Math.round(late / MB)} MB`,
    );
    assert.ok(longestMs < COMPUTES_MS, `${longestMs} ms`);
    assert.ok(late < early + 100 * MB);
    assert.deepEqual(api.complaints, []);
  });
});
