import assert from "node:assert/strict";
import { test } from "node:test";
import { anAuthenticator } from "#test/support/accounts/authenticator.ts";
import { codeOf, renewed, withApp, withPasskey } from "#test/support/accounts/factors.ts";
import { aPerson, cookiesOf, open, PASSWORD, type Person, personOf, signIn } from "#test/support/accounts/person.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

const code = ({ status, body }: Answer) => [status, body.code];
const WRONG = [401, "wrong_credentials"];

test("an app's code completes a sign-in, once", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const { person, secret, codes } = await withApp(api, ann);
  const again = async (of: Person = ann) => personOf(api, of.email, await signIn(api, of.email, PASSWORD));
  const prove = (of: Person, body: object) => of.ask("POST", "/v1/session/proof", body);

  await t.test("adding it renewed the session, and brought ten recovery codes", async () => {
    assert.equal((await ann.ask("GET", "/v1/me")).status, 401, "the cookie of before opens nothing");
    assert.equal((await person.ask("GET", "/v1/me")).status, 200);
    assert.equal(new Set(codes).size, 10);
    for (const each of codes) assert.match(each, /^([2-9a-z]{4}-){3}[2-9a-z]{4}$/);
    const { rows } = await sql.query("select * from factors, recovery_codes");
    const kept = JSON.stringify(rows);
    assert.ok(!kept.includes(secret) && !codes.some((each) => kept.includes(each)), "nothing of it is kept in clear");
  });

  await t.test("the password alone opens nothing but the second step, and no factor can be added in it", async () => {
    const half = await again();
    assert.equal(half.session.pending, "factor");
    assert.deepEqual(half.session.proof_kinds, ["code", "recovery_code"]);
    assert.deepEqual(half.session.organizations, []);
    for (const [method, path, body] of [
      ["GET", "/v1/me"],
      ["GET", "/v1/organizations"],
      ["GET", "/v1/events/stream"],
      ["GET", "/v1/factors"],
      ["GET", "/v1/sessions"],
      ["DELETE", "/v1/sessions"],
      ["PATCH", "/v1/session", { mode: "test" }],
      ["POST", "/v1/factors/app", { name: "Mine" }],
      ["POST", "/v1/factors/passkey-options"],
      ["POST", "/v1/factors/recovery-codes"],
      ["POST", "/v1/session/password", { current_password: PASSWORD, new_password: `${PASSWORD} more` }],
      ["POST", "/v1/organizations", { name: "Mine" }],
    ] as const) {
      assert.deepEqual(code(await half.ask(method, path, body)), [403, "factor_required"], `${method} ${path}`);
    }
    assert.equal((await half.ask("GET", "/v1/session")).body.session.pending, "factor");
    assert.deepEqual((await prove(half, { password: PASSWORD })).status, 400, "nor is the password a second factor");
    const { body } = await person.ask("GET", "/v1/sessions");
    assert.ok(!body.sessions.some((each: { session_id: string }) => each.session_id === half.session.session_id));
    assert.equal((await half.ask("DELETE", "/v1/session")).status, 200);
  });

  await t.test("a code makes it whole under another cookie, and counts no second time (replay)", async () => {
    const [one, other] = [await again(), await again()];
    const now = codeOf(secret);
    const answer = await prove(one, { code: `${now.slice(0, 3)} ${now.slice(3)}` });
    const whole = renewed(api, one, answer);
    assert.equal(whole.session.pending, null);
    assert.notEqual(whole.cookie, one.cookie);
    assert.notEqual(whole.session.session_id, one.session.session_id);
    assert.equal((await whole.ask("GET", "/v1/organizations")).status, 200);
    assert.deepEqual(
      code(await one.ask("GET", "/v1/session")),
      [401, "session_over"],
      "fixation: the half one is gone",
    );
    assert.deepEqual(code(await prove(other, { code: now })), WRONG);
    assert.deepEqual(code(await prove(other, { code: codeOf(secret, -1) })), WRONG, "nor one of before it");
    await sql.query("update factors set last_step = last_step - 5");
    const [third, same] = [await again(), { code: codeOf(secret) }];
    const both = await Promise.all([prove(other, same), prove(third, same)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401], "of two at once one counts");
  });

  await t.test("codes too old, too new, of another user or of none are wrong", async () => {
    await sql.query("update factors set last_step = null");
    const bo = await withApp(api, await aPerson(api, "manager"));
    const half = await again();
    for (const wrong of [codeOf(secret, -3), codeOf(secret, 3), codeOf(bo.secret), "", "x", "000000000"]) {
      assert.notEqual((await prove(half, { code: wrong })).status, 201, wrong);
    }
    assert.equal((await prove(half, { code: codeOf(secret, 1) })).status, 201, "a clock may be one step ahead");
  });

  await t.test("a recovery code counts once, however it is typed, and for its user alone", async () => {
    await sql.query("delete from guesses");
    const [one, other] = [await again(), await again()];
    const bo = await withApp(api, await aPerson(api, "manager"));
    assert.deepEqual(code(await prove(one, { recovery_code: bo.codes[0] })), WRONG);
    const typed = codes[0]!.toUpperCase().replaceAll("-", " ");
    const whole = renewed(api, one, await prove(one, { recovery_code: typed }));
    assert.deepEqual(code(await prove(other, { recovery_code: codes[0] })), WRONG);
    assert.equal((await whole.ask("GET", "/v1/factors")).body.recovery_codes_left, 9);
    const { body } = await whole.ask("POST", "/v1/factors/recovery-codes");
    assert.deepEqual(code(await prove(other, { recovery_code: codes[1] })), WRONG, "new ones end those of before");
    assert.equal((await prove(other, { recovery_code: body.recovery_codes[0] })).status, 201);
    const refused =
      "select from audit_entries where outcome = 'refused' and content->>'reason' = 'wrong recovery code'";
    await until("the log has each that was wrong", async () => (await sql.query(refused)).rowCount === 3);
  });

  await t.test("a half session ends after ten minutes", async () => {
    const half = await again();
    assert.ok(Date.parse(half.session.expires_at!) - Date.now() <= 10 * 60_000);
    await sql.query("update sessions set expires_at = now() - interval '1 second' where pending = 'factor'");
    assert.deepEqual(code(await prove(half, { code: codeOf(secret) })), [401, "session_over"]);
  });
});

test("a passkey is of the address of the console, where carriers come by another", async (t) => {
  const port = String(await aFreePort());
  const addresses = { PARLEY_BASE_URL: `http://localhost:${port}`, PARLEY_PUBLIC_URL: "https://carriers.example" };
  const api = await startParley(t, { ...addresses, PORT: port }, ["api"]);
  const { body } = await open(api, "/v1/session/passkey-options", undefined);
  assert.equal(body.options.rpId, "localhost");
});

test("codes cannot be tried out", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { person, secret } = await withApp(api, await aPerson(api, "manager"));
  const again = async () => personOf(api, person.email, await signIn(api, person.email, PASSWORD));
  const statuses = [];
  for (let i = 0; i < 12; i++) {
    // Each from a sign-in of its own: the count is the account's.
    const half = i % 4 === 0 ? await again() : person;
    const answer = await half.ask("POST", "/v1/session/proof", { code: String(i).repeat(6).slice(0, 6) });
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  const right = await (await again()).ask("POST", "/v1/session/proof", { code: codeOf(secret) });
  assert.equal(right.status, 429, "also the right one, until a try comes back");
  assert.ok(Number(right.headers.get("retry-after")) > 0);
});

test("a passkey is a second factor, and signs in by itself", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const origin = `http://localhost:${new URL(api.url).port}`;
  const passkey = anAuthenticator(origin);
  const ann = await aPerson(api, "admin");
  const { person, codes } = await withPasskey(api, ann, passkey);
  const again = async () => personOf(api, ann.email, await signIn(api, ann.email, PASSWORD));
  const optionsOf = async (of: Person) => (await of.ask("POST", "/v1/session/proof-options")).body.options;
  const alone = async () => (await open(api, "/v1/session/passkey-options", undefined)).body.options;
  const enter = (signed: object) => open(api, "/v1/session/passkey", { passkey: signed });

  await t.test("as the second step", async () => {
    assert.equal(codes?.length, 10);
    assert.equal((await person.ask("GET", "/v1/me")).status, 200);
    const half = await again();
    assert.deepEqual(half.session.proof_kinds, ["passkey", "recovery_code"]);
    const options = await optionsOf(half);
    assert.equal(options.rpId, "localhost");
    assert.deepEqual(
      options.allowCredentials.map(({ id }: { id: string }) => id),
      [passkey.id],
    );
    const signed = passkey.sign(options);
    const whole = renewed(api, half, await half.ask("POST", "/v1/session/proof", { passkey: signed }));
    assert.equal(whole.session.pending, null);
    const other = await again();
    assert.deepEqual(code(await other.ask("POST", "/v1/session/proof", { passkey: signed })), WRONG, "replay");
  });

  await t.test("alone, where its person has unlocked it", async () => {
    const options = await alone();
    assert.deepEqual([options.userVerification, options.allowCredentials ?? []], ["required", []]);
    const signed = passkey.sign(options);
    const answer = await enter(signed);
    const whole = personOf(api, ann.email, answer);
    assert.equal(whole.session.pending, null);
    assert.equal((await whole.ask("GET", "/v1/me")).status, 200);
    assert.deepEqual(code(await enter(signed)), WRONG, "once");
    assert.deepEqual(code(await enter(passkey.sign(await alone(), { isUnlocked: false }))), WRONG, "locked");
    const refused =
      "select actor, actor_id from audit_entries where operation = 'signInByPasskey' and outcome = 'refused'";
    const { rows } = await until("both are in the log", async () => {
      const found = await sql.query(refused);
      return found.rowCount === 2 && found;
    });
    // Whoever knows the id of a passkey can send such a thing: it is not its person's doing.
    for (const row of rows) assert.deepEqual(row, { actor: "unknown", actor_id: null });
  });

  const lies: Record<string, Record<string, string>> = {
    "of another origin": { origin: "http://localhost:1" },
    "of another site": { rpId: "evil.example" },
    "to no challenge of ours": { challenge: "AAAA" },
    "of a key that was made, not signed with": { type: "webauthn.create" },
  };
  for (const [what, lie] of Object.entries(lies)) {
    await t.test(`a signature ${what} is wrong`, async () => {
      assert.deepEqual(code(await enter(passkey.sign(await alone(), lie))), WRONG);
      const half = await again();
      const signed = passkey.sign(await optionsOf(half), lie);
      assert.deepEqual(code(await half.ask("POST", "/v1/session/proof", { passkey: signed })), WRONG);
      const bo = await aPerson(api, "viewer");
      const { body } = await bo.ask("POST", "/v1/factors/passkey-options");
      const made = anAuthenticator(origin).make(body.options, "type" in lie ? { type: "webauthn.get" } : lie);
      const added = await bo.ask("POST", "/v1/factors/passkey", { name: "Key", passkey: made });
      assert.deepEqual([added.status, added.body.details?.[0].field], [400, "passkey"]);
    });
  }

  await t.test("a challenge counts for its session and its purpose, and for five minutes", async () => {
    const [one, other] = [await again(), await again()];
    const signed = passkey.sign(await optionsOf(one));
    assert.deepEqual(code(await other.ask("POST", "/v1/session/proof", { passkey: signed })), WRONG);
    assert.deepEqual(code(await enter(signed)), WRONG);
    const free = passkey.sign(await alone());
    assert.deepEqual(code(await one.ask("POST", "/v1/session/proof", { passkey: free })), WRONG);
    const late = await alone();
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 5 * 60_000 + 1_000 });
    const answer = await enter(passkey.sign(late)).finally(() => t.mock.timers.reset());
    assert.deepEqual(code(answer), WRONG);
  });

  await t.test("a count that goes back is a copy's, and is refused", async () => {
    const { rows } = await sql.query("select sign_count::int as n from factors where kind = 'passkey'");
    const kept = rows[0].n as number;
    for (const count of [kept, kept - 1, 0]) {
      assert.deepEqual(code(await enter(passkey.sign(await alone(), { count }))), WRONG, `${count}`);
    }
    assert.equal((await enter(passkey.sign(await alone(), { count: kept + 1 }))).status, 201);
  });

  await t.test("another's passkey opens nothing of mine, and one is added once", async () => {
    const theirs = anAuthenticator(origin);
    const bo = await withPasskey(api, await aPerson(api, "viewer"), theirs);
    const half = await again();
    const signed = theirs.sign(await optionsOf(half));
    assert.deepEqual(code(await half.ask("POST", "/v1/session/proof", { passkey: signed })), WRONG);
    const handle = passkey.sign(await alone()).user_handle!;
    assert.deepEqual(code(await enter({ ...theirs.sign(await alone()), user_handle: handle })), WRONG);
    const { body } = await bo.person.ask("POST", "/v1/factors/passkey-options");
    const twice = await bo.person.ask("POST", "/v1/factors/passkey", { name: "2", passkey: theirs.make(body.options) });
    assert.equal(twice.status, 409);
    const used = await bo.person.ask("POST", "/v1/factors/passkey", {
      name: "3",
      passkey: anAuthenticator(origin).make(body.options),
    });
    assert.equal(used.status, 201, "what was refused has used nothing up");
  });
});

test("a second factor can be required", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { person: ann } = await withApp(api, await aPerson(api, "admin"));
  const bo = await aPerson(api, "manager");
  const again = async (of: Person) => personOf(api, of.email, await signIn(api, of.email, PASSWORD));
  const policy = (body: object) => ann.ask("PUT", "/v1/sign-in-policy", body);

  await t.test("by an admin, of an organization's people, at their next sign-in and at once", async () => {
    assert.equal((await bo.ask("PUT", "/v1/sign-in-policy", {})).status, 403);
    const [organization] = bo.session.user.organization_ids as unknown as string[];
    const answer = await policy({ factor_required: false, organization_ids: [organization] });
    assert.deepEqual([answer.status, answer.body.organization_ids], [200, [organization]]);
    assert.equal((await policy({ factor_required: false, organization_ids: ["org_x"] })).status, 404);
    assert.deepEqual(code(await bo.ask("GET", "/v1/me")), [403, "factor_required"]);
    const dora = await aPerson(api, "admin");
    assert.equal(dora.session.pending, "enrolment", "an admin works for every organization");
    const carl = await aPerson(api, "manager");
    assert.equal((await again(carl)).session.pending, null, "another organization's people need none");
    assert.equal((await again(ann)).session.pending, "factor");
  });

  await t.test("who has none can do nothing but add one", async () => {
    const half = await again(bo);
    assert.equal(half.session.pending, "enrolment");
    for (const [method, path, body] of [
      ["GET", "/v1/me"],
      ["GET", "/v1/organizations"],
      ["PATCH", "/v1/session", { mode: "test" }],
      ["DELETE", "/v1/sessions"],
    ] as const) {
      assert.deepEqual(code(await half.ask(method, path, body)), [403, "factor_required"], `${method} ${path}`);
    }
    assert.equal((await half.ask("POST", "/v1/session/proof", { password: PASSWORD })).status, 400);
    const late = await again(bo);
    const { person, factorId } = await withApp(api, half);
    assert.equal(person.session.pending, null);
    assert.equal((await person.ask("GET", "/v1/organizations")).status, 200);
    const begun = await late.ask("POST", "/v1/factors/app", { name: "Thief's" });
    assert.equal(begun.status, 401, "who knows the password adds none beside it");
    assert.equal((await person.ask("DELETE", `/v1/factors/${factorId}`)).status, 409, "the last one stays");
  });

  await t.test("nobody changes a factor of another user", async () => {
    const { person, factorId } = await withApp(api, await aPerson(api, "manager"));
    const other = await aPerson(api, "manager");
    for (const [method, body] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
      assert.equal((await other.ask(method, `/v1/factors/${factorId}`, body)).status, 404, method);
    }
    const confirmed = await other.ask("POST", `/v1/factors/${factorId}/confirmation`, { code: "000000" });
    assert.equal(confirmed.status, 404);
    assert.equal((await person.ask("GET", "/v1/factors")).body.factors[0].name, "Phone");
  });

  await t.test("an admin resets a member's, and ends the member's sessions", async () => {
    const member = bo.session.user.unique_id;
    const manager = await aPerson(api, "manager");
    assert.equal((await manager.ask("DELETE", `/v1/users/${ann.session.user.unique_id}/factors`)).status, 403);
    const answer = await ann.ask("DELETE", `/v1/users/${member}/factors`);
    assert.deepEqual([answer.status, answer.body.removed_factors], [200, 1]);
    assert.equal((await bo.ask("GET", "/v1/me")).status, 401);
    assert.equal((await again(bo)).session.pending, "enrolment");
  });
});

test("what changes how one signs in needs a fresh proof, and ends other sessions", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const stale = () => sql.query("update sessions set proved_at = proved_at - interval '11 minutes'");

  await t.test("by the password, where there is no factor", async () => {
    await stale();
    assert.deepEqual(code(await ann.ask("POST", "/v1/factors/app", { name: "x" })), [403, "proof_required"]);
    assert.deepEqual(code(await ann.ask("POST", "/v1/session/proof", { password: "not this one" })), WRONG);
    assert.equal((await ann.ask("POST", "/v1/session/proof", { password: PASSWORD, code: "1" })).status, 400);
  });

  await t.test("by a factor, where there is one; then a factor can be removed", async () => {
    const proved = renewed(api, ann, await ann.ask("POST", "/v1/session/proof", { password: PASSWORD }));
    const { person, secret, factorId } = await withApp(api, proved);
    await stale();
    const path = `/v1/factors/${factorId}`;
    assert.deepEqual(code(await person.ask("DELETE", path)), [403, "proof_required"]);
    assert.deepEqual(code(await person.ask("POST", "/v1/factors/recovery-codes")), [403, "proof_required"]);
    const reset = await person.ask("DELETE", `/v1/users/${ann.session.user.unique_id}/factors`);
    assert.deepEqual(code(reset), [403, "proof_required"], "nor as an admin of oneself");
    assert.equal((await person.ask("POST", "/v1/session/proof", { password: PASSWORD })).status, 400);
    const again = renewed(api, person, await person.ask("POST", "/v1/session/proof", { code: codeOf(secret) }));
    assert.equal((await again.ask("PATCH", path, { name: "Old phone" })).body.factor.name, "Old phone");
    const half = personOf(api, ann.email, await signIn(api, ann.email, PASSWORD));
    const answer = await again.ask("DELETE", path);
    assert.deepEqual([answer.status, answer.body.ended_sessions], [200, 1]);
    assert.equal((await half.ask("GET", "/v1/session")).status, 401);
    assert.equal((await again.ask("GET", "/v1/factors")).body.recovery_codes_left, 0);
    assert.equal((await again.ask("DELETE", path)).status, 404);
    assert.equal(personOf(api, ann.email, await signIn(api, ann.email, PASSWORD)).session.pending, null);
  });
});

test("a session has another id after each rise of rights", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "admin");
  const bo = await aPerson(api, "viewer");

  await t.test("a changed password renews this one and ends the others", async () => {
    const other = personOf(api, bo.email, await signIn(api, bo.email, PASSWORD));
    const answer = await bo.ask("POST", "/v1/session/password", {
      current_password: PASSWORD,
      new_password: `${PASSWORD} more`,
    });
    assert.deepEqual([answer.status, answer.body.ended_sessions], [200, 1]);
    for (const each of [bo, other]) assert.equal((await each.ask("GET", "/v1/me")).status, 401);
    const now = renewed(api, bo, { ...answer, status: 201 });
    assert.equal((await now.ask("GET", "/v1/me")).status, 200);
    assert.notEqual(cookiesOf(answer)[0]!.split(";")[0], bo.cookie);
  });

  await t.test("a raised role ends the user's sessions, a lowered one does not", async () => {
    const again = async () => personOf(api, bo.email, await signIn(api, bo.email, `${PASSWORD} more`));
    const viewer = await again();
    const path = `/v1/users/${bo.session.user.unique_id}`;
    assert.equal((await ann.ask("PATCH", path, { permission: "manager" })).status, 200);
    assert.equal((await viewer.ask("GET", "/v1/me")).status, 401);
    const manager = await again();
    assert.equal((await ann.ask("PATCH", path, { permission: "viewer" })).status, 200);
    assert.equal((await manager.ask("GET", "/v1/me")).status, 200);
  });

  await t.test("one ends all others of one's own at once", async () => {
    const [here, there] = [
      personOf(api, ann.email, await signIn(api, ann.email, PASSWORD)),
      personOf(api, ann.email, await signIn(api, ann.email, PASSWORD)),
    ];
    const answer = await here.ask("DELETE", "/v1/sessions");
    assert.deepEqual([answer.status, answer.body.ended_sessions], [200, 2]);
    assert.equal((await there.ask("GET", "/v1/me")).status, 401);
    assert.equal((await here.ask("GET", "/v1/me")).status, 200);
  });
});
