import assert from "node:assert/strict";
import { test } from "node:test";
import { aPerson, PASSWORD, personOf, signIn } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley, until } from "#test/support/api/parley.ts";

type Fields = Record<string, unknown>;
const idOf = (person: { session: { user: Record<string, string> } }): string => person.session.user.unique_id!;

test("admins see where others are signed in and what they changed", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "admin");
  const bo = await aPerson(api, "viewer");
  const again = personOf(api, bo.email, await signIn(api, bo.email, PASSWORD));
  const path = `/v1/users/${idOf(bo)}/sessions`;
  const status = async (asked: Promise<Answer>) => (await asked).status;

  await t.test("a session of another is ended, alone or with all others of that user", async () => {
    const { body } = await ann.ask("GET", path);
    assert.deepEqual(
      body.sessions.map((session: Fields) => session.is_current),
      [false, false],
    );
    const ended = await ann.ask("DELETE", `${path}?session_id=${again.session.session_id}`);
    assert.deepEqual([ended.status, ended.body.ended_sessions], [200, 1]);
    assert.equal(await status(again.ask("GET", "/v1/session")), 401);
    assert.equal(await status(bo.ask("GET", "/v1/session")), 200);
    assert.equal((await ann.ask("DELETE", path)).body.ended_sessions, 1);
    assert.equal(await status(bo.ask("GET", "/v1/session")), 401);
    // One's own goes on.
    assert.equal((await ann.ask("DELETE", `/v1/users/${idOf(ann)}/sessions`)).body.ended_sessions, 0);
    assert.equal(await status(ann.ask("GET", "/v1/session")), 200);
  });

  await t.test("a session is ended only under its own user, and only by an admin of the tenant", async () => {
    const cy = await aPerson(api, "manager");
    const one = `?session_id=${cy.session.session_id}`;
    assert.equal(await status(ann.ask("DELETE", path + one)), 404);
    assert.equal(await status(cy.ask("GET", `/v1/users/${idOf(ann)}/sessions`)), 403);
    assert.equal(await status(cy.ask("DELETE", `/v1/users/${idOf(ann)}/sessions`)), 403);
    const other = await aPerson(api, "admin", await anotherTenant(api));
    const theirs = `/v1/users/${idOf(cy)}/sessions`;
    assert.deepEqual(
      [await status(other.ask("GET", theirs)), await status(other.ask("DELETE", theirs + one))],
      [404, 404],
    );
    assert.equal(await status(cy.ask("GET", "/v1/session")), 200);
  });

  await t.test("what one of them changed is found in the log by the user", async () => {
    const dee = await aPerson(api, "admin");
    assert.equal(await status(dee.ask("PATCH", `/v1/users/${idOf(bo)}`, { name: "Bo B." })), 200);
    const log = (user: string) => ann.ask("GET", `/v1/requests?class=administration&user_id=${user}`);
    await until("it is logged", async () => (await log(idOf(dee))).body.count > 0);
    const { requests } = (await log(idOf(dee))).body;
    assert.deepEqual(
      requests.map((request: Fields) => [request.operation, request.user_id]),
      [["updateUser", idOf(dee)]],
    );
    assert.equal(await status(log("usr_00000000000000000000000001")), 404);
  });
});
