import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anEmail, aPerson, PASSWORD } from "#test/support/accounts/person.ts";
import { misspellingsOf, mutantsOf } from "#test/support/api/bad-values.ts";
import { type Described, fits, nonconformance, readAllOperations, urlOf } from "#test/support/api/openapi.ts";
import type { Answer } from "#test/support/api/parley.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";

const SIGNATURE = { credential: "AA", client_data: "AA", authenticator_data: "AA", signature: "AA" };

/** A body of each operation's schema; none of them gets through, but for the change of mode. */
const BODIES: Record<string, () => Record<string, unknown>> = {
  setUp: () => ({
    token: "none",
    email: anEmail(),
    password: PASSWORD,
    first_name: "Ann",
    organization_name: "Acme",
  }),
  acceptInvitation: () => ({ token: "none", password: PASSWORD }),
  signIn: () => ({ email: anEmail(), password: PASSWORD }),
  changeSession: () => ({ mode: "test" }),
  changePassword: () => ({ current_password: "not the password", new_password: PASSWORD }),
  proveSession: () => ({ code: "000000" }),
  signInByPasskey: () => ({ passkey: SIGNATURE }),
  startSignOn: () => ({ email: anEmail() }),
  completeSignOn: () => ({ query: "code=none&state=none" }),
  createAppFactor: () => ({ name: "Phone" }),
  confirmAppFactor: () => ({ code: "000000" }),
  createPasskeyFactor: () => ({ name: "Key", passkey: { credential: "AA", client_data: "AA", attestation: "AA" } }),
  updateFactor: () => ({ name: "Key" }),
  markThread: () => ({ read: true }),
  markAllRead: () => ({ organization_id: "org_00000000000000000000000000" }),
};

const names = (field: string, at: string) => field === at || field.startsWith(at) || at.startsWith(field);

test("bad input to what signs people in and out", async (t) => {
  const api = await startApiProcess(t);
  const ann = await aPerson(api, "admin");
  const operations = (await readAllOperations(api)).filter((operation) => operation.caller !== "key");
  const ask = (
    operation: Described,
    body: unknown,
    params: Record<string, string> = {
      session_id: "nonsense",
      factor_id: "nonsense",
      thread_id: "+12125550100_nothing",
    },
    query = {},
  ): Promise<Answer> =>
    operation.caller === "person"
      ? ann.ask(operation.method, urlOf(operation.path, params, query), body)
      : api.request(operation.method, urlOf(operation.path, params, query), body, { key: null });

  for (const operation of operations.filter(({ body }) => body !== undefined)) {
    await t.test(
      `${operation.id}: what is not of the schema is a 400 that names the field, and nothing is a 5xx`,
      async () => {
        assert.ok(BODIES[operation.id], "a body is told in BODIES");
        const problems: string[] = [];
        for (const mutant of mutantsOf(operation.body!, BODIES[operation.id]!())) {
          const answer = await ask(operation, mutant.text);
          const isWrong = !fits(operation.body!, JSON.parse(mutant.text));
          const where = `${mutant.b} ${mutant.at}, ${mutant.what}: ${answer.status} ${answer.body.error}`;
          if (answer.status >= 500) problems.push(where);
          else if (isWrong && answer.status === 413 && mutant.b === "B060") continue;
          else if (isWrong && answer.status === 403 && mutant.at === "tenant_id") continue;
          else if (isWrong && answer.status !== 400) problems.push(where);
          else if (isWrong && mutant.at && !wrongFields(answer).some((field) => names(field, mutant.at))) {
            problems.push(`${where}: the field is not named`);
          } else if (nonconformance(operation, answer)) problems.push(`${where}: ${nonconformance(operation, answer)}`);
        }
        assert.deepEqual(problems, []);
      },
    );
  }

  await t.test("a misspelt field is a 400 that says which was meant", async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      for (const { at, meant, body } of misspellingsOf(operation.body!, BODIES[operation.id]!())) {
        const answer = await ask(operation, body);
        assert.equal(answer.status, 400, `${operation.id} ${at}`);
        const found = answer.body.details.find(({ field }: { field: string }) => field === at);
        assert.equal(found?.message, `is not a known field, did you mean ${meant}?`, `${operation.id} ${at}`);
      }
    }
  });

  await t.test("bodies that are none, ids that are none, and queries that are wrong are refused in words", async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      for (const body of ["", "null", "[]", "{", '"x"', '{"__proto__":{}}']) {
        const answer = await ask(operation, body);
        assert.equal(answer.status, 400, `${operation.id} ${body}`);
      }
    }
    const endSession = operations.find(({ id }) => id === "endSession")!;
    for (const session_id of ["nonsense", "usr_00000000000000000000000001", "ses_00000000000000000000000001", "a\0b"]) {
      assert.ok([400, 404].includes((await ask(endSession, undefined, { session_id })).status), session_id);
    }
    const listSessions = operations.find(({ id }) => id === "listSessions")!;
    for (const query of [{ limit: "0" }, { limit: "501" }, { pagination_key: "nonsense" }]) {
      assert.equal((await ask(listSessions, undefined, undefined, query)).status, 400);
    }
    const first = await ask(listSessions, undefined, undefined, { limit: "1" });
    assert.equal(nonconformance(listSessions, first), undefined);
  });

  await t.test("an invalid or malformed cookie is a 401", async () => {
    for (const value of ["x", "", "%00", "é", "a".repeat(4_000), '"', "%zz"]) {
      const answer = await api.get("/v1/me", { key: null, headers: { cookie: `parley_session=${encodeURI(value)}` } });
      assert.equal(answer.status, 401, value);
    }
    const raw = await api.get("/v1/me", { key: null, headers: { cookie: "parley_session=%zz; =; ;;; a=b" } });
    assert.equal(raw.status, 401);
  });

  assert.equal((await ann.ask("GET", "/v1/session")).status, 200);
  assert.deepEqual(api.complaints, []);
});
