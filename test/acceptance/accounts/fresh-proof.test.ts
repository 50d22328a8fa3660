import assert from "node:assert/strict";
import { test } from "node:test";
import { renewed, withApp } from "#test/support/accounts/factors.ts";
import { aPerson, PASSWORD, type Person, personOf, signIn } from "#test/support/accounts/person.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const code = ({ status, body }: Answer) => [status, body.code];
const PROOF = [403, "proof_required"];
const LACKS = [403, "factor_required"];
const userId = (person: Person) => person.session.user.unique_id!;
const byPassword = async (api: Parameters<typeof renewed>[0], person: Person) =>
  renewed(api, person, await person.ask("POST", "/v1/session/proof", { password: PASSWORD }));

test("what gives away an admin's rights needs a proof of the last quarter of an hour", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const [other, member] = [await aPerson(api, "admin"), await aPerson(api, "manager")];
  const aged = (minutes: number) =>
    sql.query("update sessions set proved_at = now() - make_interval(mins => $1)", [minutes]);
  const { key_id } = (await api.post("/v1/api-keys", { name: "Old admin", scopes: ["read", "admin"] })).body;
  const [users, keys] = ["/v1/users", "/v1/api-keys"];
  const ASKED: readonly (readonly [string, string, object?])[] = [
    ["POST", keys, { name: "Of an open browser", mode: "test", scopes: ["admin"] }],
    ["POST", keys, { name: "With all that I may", mode: "test" }],
    ["POST", `${keys}/${key_id}/rotate`],
    ["POST", `${users}/${userId(other)}/invitation`],
    ["PATCH", `${users}/${userId(member)}`, { permission: "admin" }],
    ["DELETE", `${users}/${userId(member)}/factors`],
    ["PUT", "/v1/sign-in-policy", { factor_required: false, organization_ids: [] }],
  ];
  const counts = async () =>
    (
      await sql.query(
        `select (select count(*) from api_keys) as keys, (select count(*) from invitations) as invitations,
           (select count(*) from sign_in_policies) as policies, (select count(*) from users where permission = 'admin') as admins,
           (select count(*) from audit_entries) as entries`,
      )
    ).rows;

  await t.test("after sixteen minutes each of them is refused, and nothing is changed", async () => {
    await aged(16);
    const before = await counts();
    for (const [method, path, body] of ASKED) {
      assert.deepEqual(code(await ann.ask(method, path, body)), PROOF, `${method} ${path}`);
    }
    assert.deepEqual(await counts(), before);
  });

  await t.test("what gives away less is not, nor is a key asked", async () => {
    const plain = await ann.ask("POST", keys, { name: "Reader", mode: "test", scopes: ["read"] });
    assert.equal(plain.status, 201);
    assert.equal((await ann.ask("POST", `${keys}/${plain.body.key_id}/rotate`)).status, 201);
    assert.equal((await ann.ask("POST", `${users}/${userId(member)}/invitation`)).status, 201);
    assert.equal((await ann.ask("PATCH", `${users}/${userId(member)}`, { name: "Maria" })).status, 200);
    assert.equal((await ann.ask("PATCH", `${users}/${userId(member)}`, { permission: "viewer" })).status, 200);
    assert.equal((await api.post(keys, { name: "By a key", scopes: ["admin"] })).status, 201);
  });

  await t.test(
    "within the quarter it is done, and so is a repeat under one Idempotency-Key after the proof",
    async () => {
      const same = { "idempotency-key": "one admin key" };
      const body = { name: "Asked again", mode: "test", scopes: ["admin"] };
      assert.deepEqual(code(await ann.ask("POST", keys, body, same)), PROOF);
      const proved = await byPassword(api, ann);
      assert.equal((await proved.ask("POST", keys, body, same)).status, 201);
      await aged(14);
      for (const [method, path, body] of ASKED) {
        const { status } = await proved.ask(method, path, body);
        assert.ok(status === 200 || status === 201, `${method} ${path}: ${status}`);
      }
    },
  );

  await t.test("of a session that has never shown who it is, it is asked too", async () => {
    const late = personOf(api, other.email, await signIn(api, other.email, PASSWORD));
    await sql.query("update sessions set proved_at = null");
    assert.deepEqual(code(await late.ask("POST", keys, { name: "x", mode: "test", scopes: ["admin"] })), PROOF);
  });
});

test("a factor that is required binds who is signed in", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const { person: ann } = await withApp(api, await aPerson(api, "admin"));
  const [bo, carl] = [await aPerson(api, "manager"), await aPerson(api, "manager")];
  const policy = async (factor_required: boolean, organization_ids: string[] = []) => {
    assert.equal((await ann.ask("PUT", "/v1/sign-in-policy", { factor_required, organization_ids })).status, 200);
  };
  const pendingOf = async (person: Person) => (await person.ask("GET", "/v1/session")).body.session.pending;

  await t.test("from the next request on, until it is required no more", async () => {
    await policy(true);
    for (const person of [bo, carl]) {
      assert.deepEqual(code(await person.ask("GET", "/v1/organizations")), LACKS);
      assert.deepEqual(code(await person.ask("GET", "/v1/events/stream")), LACKS);
      assert.deepEqual(code(await person.ask("PATCH", "/v1/session", { mode: "test" })), LACKS);
      assert.equal(await pendingOf(person), "enrolment");
      assert.equal((await person.ask("GET", "/v1/factors")).status, 200);
    }
    assert.equal((await ann.ask("GET", "/v1/organizations")).status, 200, "who has one goes on");
    await policy(false);
    assert.equal(await pendingOf(carl), null);
    assert.equal((await carl.ask("GET", "/v1/organizations")).status, 200);
  });

  await t.test("also who comes under it by another organization", async () => {
    const [of] = bo.session.user.organization_ids as unknown as string[];
    await policy(false, [of!]);
    assert.equal(await pendingOf(bo), "enrolment");
    assert.equal(await pendingOf(carl), null);
    const own = carl.session.user.organization_ids as unknown as string[];
    const more = { organization_ids: [...own, of] };
    assert.equal((await ann.ask("PATCH", `/v1/users/${userId(carl)}`, more)).status, 200);
    assert.equal(await pendingOf(carl), "enrolment");
  });

  await t.test("but not a session whose sign-in was two factors in one", async () => {
    await sql.query(
      "update sessions set has_shown_factor = true where user_id = (select id from users where email = $1 limit 1)",
      [carl.email],
    );
    assert.equal(await pendingOf(carl), null);
  });

  await t.test(
    "adding one makes the session whole, after a proof where the last is old, and ends the person's others",
    async () => {
      const other = personOf(api, bo.email, await signIn(api, bo.email, PASSWORD));
      assert.equal(other.session.pending, "enrolment");
      await sql.query("update sessions set proved_at = now() - interval '11 minutes'");
      assert.deepEqual(code(await bo.ask("POST", "/v1/factors/app", { name: "Phone" })), PROOF);
      const proved = await byPassword(api, bo);
      assert.equal(proved.session.pending, "enrolment", "the password is no second factor");
      assert.deepEqual(code(await proved.ask("GET", "/v1/organizations")), LACKS);
      const { person, codes } = await withApp(api, proved);
      assert.equal(person.session.pending, null);
      assert.equal(codes.length, 10);
      const { rows } = await sql.query(
        "select expires_at - created_at = interval '12 hours' as same from sessions where user_id = (select id from users where email = $1 limit 1)",
        [bo.email],
      );
      assert.deepEqual(rows, [{ same: true }], "it is the same session, which lasts no longer");
      assert.equal((await person.ask("GET", "/v1/organizations")).status, 200);
      for (const ended of [bo, proved, other]) assert.equal((await ended.ask("GET", "/v1/session")).status, 401);
      const { body } = await person.ask("GET", "/v1/sessions");
      assert.equal(body.sessions.length, 1);
    },
  );
});
