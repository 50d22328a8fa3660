import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import {
  anEmail,
  anInvitation,
  aPerson,
  cookiesOf,
  open,
  PASSWORD,
  personOf,
  signIn,
  tokenOfSetup,
} from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { compare } from "#test/support/api/paired.ts";
import { type Answer, client, startParley, until } from "#test/support/api/parley.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const code = ({ status, body }: Answer) => [status, body.code];

test("the console is set up once, by the link that is printed at the start", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const token = await tokenOfSetup(api);
  const fields = { token, email: "Ann@Acme.example", password: PASSWORD, organization_name: "Acme" };
  const needed = async () => (await api.get("/v1/setup", { key: null })).body.needed;

  await t.test("what is not the link's token is refused, and so is a password that anybody would try", async () => {
    assert.equal(await needed(), true);
    for (const wrong of [`${token}x`, token.slice(1), "x"]) {
      assert.deepEqual(code(await open(api, "/v1/setup", { ...fields, token: wrong })), [403, "link_invalid"]);
    }
    for (const password of ["short", "password1234", "ann@acme.example", "aaaaaaaaaaaaaa", "x".repeat(129)]) {
      const answer = await open(api, "/v1/setup", { ...fields, password });
      assert.deepEqual([answer.status, answer.body.details?.[0].field], [400, "password"], password);
    }
    assert.equal(await needed(), true);
  });

  await t.test("of many at once one makes the admin, who is signed in to the first tenant", async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => open(api, "/v1/setup", { ...fields, email: `a${i}@acme.example` })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403]);
    const made = answers.find(({ status }) => status === 201)!;
    const ann = personOf(api, made.body.session.user.email, made);
    assert.equal(ann.session.permission, "admin");
    assert.equal(ann.session.tenant_id, (await api.get("/v1/me")).body.tenant_id);
    const { body } = await ann.ask("GET", "/v1/session");
    assert.equal(body.session.organizations[0].organization_name, "Acme");
    assert.equal(body.session.user.name, ann.email.split("@")[0]);
    assert.equal((await ann.ask("POST", "/v1/organizations", { name: "Second" })).status, 201);
  });

  await t.test("after that the link opens nothing", async () => {
    assert.equal(await needed(), false);
    assert.deepEqual(code(await open(api, "/v1/setup", { ...fields, email: "b@acme.example" })), [403, "link_invalid"]);
    const another = { ...fields, email: "b@acme.example", token: await tokenOfSetup(api) };
    assert.deepEqual(code(await open(api, "/v1/setup", another)), [403, "link_invalid"], "nor does another start's");
  });
});

test("a session is of one signing in, from then to its end", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const again = async () => personOf(api, ann.email, await signIn(api, ann.email.toUpperCase(), PASSWORD));

  await t.test("its cookie is for this host alone, out of reach of scripts and of other sites", async () => {
    const answer = await signIn(api, ann.email, PASSWORD);
    assert.match(cookiesOf(answer)[0]!, /^parley_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.ok(!JSON.stringify(answer.body).includes(cookiesOf(answer)[0]!.slice(15, 58)), "nor is it in the body");
    const { rows } = await sql.query("select * from sessions");
    assert.ok(rows.length >= 2 && !JSON.stringify(rows).includes(cookiesOf(answer)[0]!.slice(15, 58)));
    const { digest } = rows[0] as { digest: Buffer };
    assert.equal(digest.length, 32, "nor in the database");
  });

  await t.test("each signing in is a new one, whatever cookie is sent along (B201)", async () => {
    const first = await again();
    const fixed = { cookie: `parley_session=${"a".repeat(43)}` };
    const second = personOf(api, ann.email, await signIn(api, ann.email, PASSWORD, fixed));
    const third = personOf(api, ann.email, await signIn(api, ann.email, PASSWORD, { cookie: first.cookie }));
    assert.equal(new Set([fixed.cookie, first.cookie, second.cookie, third.cookie]).size, 4);
    const asked = await api.get("/v1/session", { key: null, headers: fixed });
    assert.deepEqual(code(asked), [401, "session_over"]);
  });

  await t.test("what was signed out opens nothing any more, however often it is sent (B201)", async () => {
    const person = await again();
    const out = await person.ask("DELETE", "/v1/session");
    assert.equal(out.status, 200);
    assert.match(cookiesOf(out)[0]!, /^parley_session=; .*Expires=Thu, 01 Jan 1970/);
    for (const path of ["/v1/session", "/v1/organizations", "/v1/me"]) {
      assert.deepEqual(code(await person.ask("GET", path)), [401, "session_over"]);
    }
    assert.deepEqual(code(await person.ask("POST", "/v1/organizations", { name: "Late" })), [401, "session_over"]);
  });

  await t.test("half an hour unused, or twelve hours in all, and it is over", async () => {
    const [idle, old] = [await again(), await again()];
    const leftMs = Date.parse(idle.session.expires_at!) - Date.now();
    assert.ok(leftMs > 29 * 60_000 && leftMs <= 30 * 60_000, `${leftMs}`);
    const change = (set: string, n: number) =>
      sql.query(`update sessions set ${set} where id = (select id from sessions order by id desc offset ${n} limit 1)`);
    await change("seen_at = seen_at - interval '29 minutes'", 1);
    await change("expires_at = now() + interval '1 minute'", 0);
    assert.equal((await idle.ask("GET", "/v1/session")).status, 200);
    const { body } = await old.ask("GET", "/v1/session");
    assert.ok(Date.parse(body.session.expires_at) - Date.now() <= 60_000);
    await change("seen_at = now() - interval '31 minutes'", 1);
    await change("expires_at = now() - interval '1 second'", 0);
    for (const person of [idle, old]) assert.deepEqual(code(await person.ask("GET", "/v1/me")), [401, "session_over"]);
  });

  await t.test("one sees one's own sessions, and ends them", async () => {
    const [here, there] = [await again(), await again()];
    const bo = await aPerson(api, "manager");
    const { body } = await here.ask("GET", "/v1/sessions");
    const current = body.sessions.filter((session: { is_current: boolean }) => session.is_current);
    assert.deepEqual(
      current.map((session: { session_id: string }) => session.session_id),
      [here.session.session_id],
    );
    assert.equal(current[0].address, "127.0.0.1");
    const path = `/v1/sessions/${there.session.session_id}`;
    assert.ok(body.sessions.some((session: { session_id: string }) => session.session_id === there.session.session_id));
    assert.equal((await bo.ask("DELETE", path)).status, 404, "nobody else does");
    assert.equal((await there.ask("GET", "/v1/me")).status, 200);
    assert.equal((await here.ask("DELETE", path)).status, 200);
    assert.equal((await there.ask("GET", "/v1/me")).status, 401);
    assert.equal((await here.ask("DELETE", path)).status, 404);
  });

  await t.test("an API key wins where both are sent, and has no session", async () => {
    const both = { headers: { cookie: ann.cookie } };
    assert.equal((await api.post("/v1/organizations", { name: "By key" }, both)).status, 201);
    assert.notEqual((await api.get("/v1/me", both)).body.key_id, null);
    assert.equal((await ann.ask("GET", "/v1/me")).body.key_id, null);
    assert.deepEqual(code(await api.get("/v1/session", both)), [403, "session_required"]);
    assert.equal((await api.get("/v1/session", { key: "pk_test_wrong", ...both })).status, 401);
  });
});

test("how long a session may be unused, and how long it lasts, are settings", async (t) => {
  const times = { PARLEY_SESSION_IDLE_MINUTES: "5", PARLEY_SESSION_HOURS: "1" };
  const api = await startParley(t, times, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const email = anEmail();
  const token = await anInvitation(api, (await api.get("/v1/me")).body.tenant_id, "manager", email);
  const answer = await open(api, "/v1/invitations", { token, password: PASSWORD });
  assert.match(cookiesOf(answer)[0]!, /Max-Age=3600;/);
  const bo = personOf(api, email, answer);
  const leftMs = async () => Date.parse((await bo.ask("GET", "/v1/session")).body.session.expires_at) - Date.now();
  const aged = (column: "seen_at" | "expires_at", by: string) =>
    sql.query(`update sessions set ${column} = ${column} - $1::interval`, [by]);
  const near = (ms: number, minutes: number) => assert.ok(Math.abs(ms - minutes * 60_000) < 30_000, `${ms}`);

  near(await leftMs(), 5);
  await aged("seen_at", "4 minutes 30 seconds");
  near(await leftMs(), 5);
  await aged("expires_at", "58 minutes");
  near(await leftMs(), 2);
  await aged("expires_at", "2 minutes");
  assert.deepEqual(code(await bo.ask("GET", "/v1/me")), [401, "session_over"]);
  const again = personOf(api, email, await signIn(api, email, PASSWORD));
  await aged("seen_at", "5 minutes 1 second");
  assert.deepEqual(code(await again.ask("GET", "/v1/me")), [401, "session_over"]);
});

test("what another site has a browser send is refused (B201)", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "admin");
  const other = await aPerson(api, "admin");
  const before = (await api.get("/v1/organizations")).body.count;
  const { origin } = new URL(api.url);
  const token = ann.session.csrf_token!;
  const forged: Record<string, Record<string, string>> = {
    "without a token": { origin },
    "with a wrong one": { origin, "x-csrf-token": `${token.slice(0, -1)}_` },
    "with another session's": { origin, "x-csrf-token": other.session.csrf_token! },
    "from another site": { origin: "https://evil.example", "x-csrf-token": token },
    "from another port": { origin: "http://127.0.0.1:1", "x-csrf-token": token },
    "from nowhere": { origin: "null", "x-csrf-token": token },
    "by another site's page": { "sec-fetch-site": "cross-site", "x-csrf-token": token },
    "by a neighbour": { "sec-fetch-site": "same-site", "x-csrf-token": token },
    "by who knows whom": { "x-csrf-token": token },
  };
  for (const [how, headers] of Object.entries(forged)) {
    await t.test(`a request ${how} is a 403`, async () => {
      for (const [method, path, body] of [
        ["POST", "/v1/organizations", { name: "Forged" }],
        ["PATCH", "/v1/session", { mode: "test" }],
        ["DELETE", "/v1/session", undefined],
      ] as const) {
        const answer = await api.request(method, path, body, {
          key: null,
          headers: { cookie: ann.cookie, ...headers },
        });
        assert.deepEqual(code(answer), [403, "csrf_refused"], `${method} ${path}`);
      }
    });
  }
  await t.test("nothing of it was done, and reads need neither", async () => {
    assert.equal((await api.get("/v1/organizations")).body.count, before);
    const read = await api.get("/v1/session", { key: null, headers: { cookie: ann.cookie } });
    assert.equal(read.body.session.csrf_token, token);
    const headers = { cookie: ann.cookie, "x-csrf-token": token, "sec-fetch-site": "same-origin" };
    const answer = await api.request("PATCH", "/v1/session", { mode: "test" }, { key: null, headers });
    assert.equal(answer.status, 200, "a page of ours may tell by Sec-Fetch-Site alone");
  });
  await t.test("nobody is signed in by another site's page either", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      assert.deepEqual(code(await signIn(api, ann.email, PASSWORD, headers)), [403, "csrf_refused"]);
    }
    assert.equal((await signIn(api, ann.email, PASSWORD)).status, 201, "what is no browser says neither");
  });
});

test("behind https the cookie is one that only https sets", async (t) => {
  const baseUrl = "https://parley.example";
  const port = await aFreePort();
  const api = await startParley(t, { PARLEY_BASE_URL: baseUrl, PORT: String(port) }, ["api"]);
  const here = { ...api, ...client(`http://127.0.0.1:${port}`, api.key) };
  const fields = { token: await tokenOfSetup(api), email: anEmail(), password: PASSWORD, organization_name: "Acme" };
  const answer = await open(here, "/v1/setup", fields, { origin: baseUrl });

  assert.match(
    cookiesOf(answer)[0]!,
    /^__Host-parley_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const ann = personOf(here, fields.email, answer);
  assert.equal((await ann.ask("PATCH", "/v1/session", { mode: "test" }, { origin: baseUrl })).status, 200);
  assert.equal((await ann.ask("GET", "/v1/me", undefined, { cookie: ann.cookie.replace("__Host-", "") })).status, 401);
  const { body } = await here.get("/openapi.json", { key: null });
  assert.equal(body.components.securitySchemes.session.name, "__Host-parley_session");
});

test("passwords cannot be tried out (B201)", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "manager");
  const invited = anEmail();
  await anInvitation(api, ann.session.tenant_id!, "manager", invited);
  const victim = await aPerson(api, "manager");

  await t.test("an unknown address, a wrong password and a user without a password get the same answer", async () => {
    const answers = [
      await signIn(api, "nobody@acme.example", PASSWORD),
      await signIn(api, ann.email, `${PASSWORD}!`),
      await signIn(api, invited, PASSWORD),
    ];
    for (const { status, body, headers } of answers) {
      assert.deepEqual({ ...body, request_id: "" }, { ...answers[0]!.body, request_id: "" });
      assert.deepEqual([status, body.code], [401, "wrong_credentials"]);
      assert.deepEqual(headers.getSetCookie(), []);
    }
  });

  await t.test("a known and an unknown address take the same time", async () => {
    const take = async (email: string): Promise<number> => {
      const started = performance.now();
      assert.equal((await signIn(api, email, "not the password")).status, 401);
      return Math.log(performance.now() - started);
    };
    let known = "";
    const found = await compare(Math.log(1.4), 600, async (pair) => {
      // An account takes ten wrong passwords at once.
      if (pair % 8 === 0) known = (await aPerson(api, "viewer")).email;
      const [first, second] = pair % 2 === 0 ? [known, anEmail()] : [anEmail(), known];
      const [firstTook, secondTook] = [await take(first), await take(second)];
      return pair % 2 === 0 ? firstTook - secondTook : secondTook - firstTook;
    });
    const leftMs = `a known one takes ${Math.exp(found.median).toFixed(2)} times as long, by ${found.pairs} pairs`;
    t.diagnostic(leftMs);
    // Without a hash to look at it would take a thirtieth of the time.
    assert.ok(found.isWithin, leftMs);
  });

  await t.test("1,000 wrong ones for an account end in a 429 that says when to come back", async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < 20; i++) {
      answers.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_, n) => signIn(api, victim.email, `guess ${i} ${n}`)))),
      );
    }
    const counts = Map.groupBy(answers, ({ status }) => status);
    assert.deepEqual([...counts.keys()].sort(), [401, 429]);
    assert.ok(counts.get(401)!.length <= 12, `${counts.get(401)!.length} were looked at`);
    const refused = counts.get(429)![0]!;
    assert.equal(refused.body.code, "too_many_failures");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.deepEqual(
      code(await signIn(api, victim.email, PASSWORD)),
      [429, "too_many_failures"],
      "nor is the right one",
    );
    assert.equal((await victim.ask("GET", "/v1/session")).status, 200, "whoever is signed in stays so");
    assert.equal((await signIn(api, ann.email, PASSWORD)).status, 201, "another account is open");
  });

  await t.test("whoever has signed in from here is not locked out by one who guesses elsewhere", async () => {
    assert.equal((await signIn(api, ann.email, PASSWORD)).status, 201);
    const guesses = await Promise.all(Array.from({ length: 20 }, () => guessFrom("127.0.0.2", api.url, ann.email)));
    assert.ok(guesses.includes(429));
    assert.equal((await signIn(api, ann.email, PASSWORD)).status, 201);
  });
});

test("an address that tries passwords, or asks too much without a key, is put off", async (t) => {
  const api = await startParley(t, { PARLEY_AUTH_FAILURE_LIMIT: "20", PARLEY_RATE_LIMIT: "45" }, ["api"]);
  assert.equal((await api.get("/v1/me")).status, 200);
  const wrong = () => signIn(api, anEmail(), "not the password");
  const tried = await Promise.all(Array.from({ length: 40 }, wrong));
  assert.ok(tried.filter(({ status }) => status === 401).length >= 20);
  // One more may be tried after each three seconds, which so many hashes may have taken.
  const refused = await until("it is put off", async () => {
    const answer = await wrong();
    return answer.status === 429 && answer;
  });
  assert.equal(refused.body.code, "too_many_failures");
  const put = (await until("a slow machine has asked too much, too", async () => {
    const asked = await Promise.all(Array.from({ length: 200 }, () => api.get("/v1/setup", { key: null })));
    return asked.find(({ status }) => status === 429);
  }))!;
  assert.equal(put.body.code, "rate_limited");
  assert.match(put.headers.get("ratelimit")!, /^"address";r=0;t=1$/);
  assert.equal((await api.get("/v1/me")).status, 200, "a key that was right has its own share");
});

test("invitations", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const tenant = ann.session.tenant_id!;
  const accept = (token: string, password = PASSWORD) => open(api, "/v1/invitations", { token, password });
  const invite = async (id: string) => (await ann.ask("POST", `/v1/users/${id}/invitation`)).body;
  const tokenIn = (url: string) => url.split("#token=")[1]!;
  const organization = ann.session.user.organization_id;
  const aUser = async (email: string) =>
    (await ann.ask("POST", `/v1/organizations/${organization}/users`, { name: "Bo", email })).body.unique_id as string;

  await t.test("a link works once, and says when it expires", async () => {
    const email = anEmail();
    const id = await aUser(email);
    const made = await invite(id);
    assert.match(made.invitation_url, new RegExp(`^${api.url}/console/invitation#token=[\\w-]{43}$`));
    const hours = (Date.parse(made.expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 71.9 && hours <= 72);
    const listed = async () =>
      (await ann.ask("GET", "/v1/users")).body.users.find((user: { unique_id: string }) => user.unique_id === id);
    assert.deepEqual([(await listed()).can_sign_in, (await listed()).invited_until], [false, made.expires_at]);
    const weak = await accept(tokenIn(made.invitation_url), "password12345");
    assert.deepEqual([weak.status, weak.body.details[0].field], [400, "password"]);
    const answers = await Promise.all([1, 2, 3].map(() => accept(tokenIn(made.invitation_url))));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403]);
    assert.deepEqual([(await listed()).can_sign_in, (await listed()).invited_until], [true, null]);
    assert.equal((await signIn(api, email, PASSWORD)).status, 201);
  });

  await t.test("a newer one replaces it, its time ends it, and nonsense never was one", async () => {
    const id = await aUser(anEmail());
    const [first, second] = [await invite(id), await invite(id)];
    assert.deepEqual(code(await accept(tokenIn(first.invitation_url))), [403, "link_invalid"]);
    await sql.query("update invitations set expires_at = now()");
    assert.deepEqual(code(await accept(tokenIn(second.invitation_url))), [403, "link_invalid"]);
    assert.deepEqual(code(await accept("nonsense")), [403, "link_invalid"]);
  });

  await t.test("it sets a forgotten password anew, and ends the sessions of the old one", async () => {
    const bo = await aPerson(api, "manager");
    const { invitation_url } = await invite(bo.session.user.unique_id!);
    assert.equal((await accept(tokenIn(invitation_url), "another horse 99")).status, 201);
    assert.equal((await bo.ask("GET", "/v1/session")).status, 401);
    assert.equal((await signIn(api, bo.email, PASSWORD)).status, 401);
    assert.equal((await signIn(api, bo.email, "another horse 99")).status, 201);
  });

  await t.test("an address signs in to one tenant only", async () => {
    const them = await anotherTenant(api);
    const theirs = await anInvitation(api, (await them.get("/v1/me")).body.tenant_id, "admin", ann.email);
    assert.deepEqual(code(await accept(theirs)), [409, "conflict"]);
    assert.equal((await ann.ask("GET", "/v1/session")).body.session.tenant_id, tenant);
  });

  await t.test("a repeat under its Idempotency-Key does not return the link again", async () => {
    const path = `/v1/users/${await aUser(anEmail())}/invitation`;
    const once = () => ann.ask("POST", path, undefined, { "idempotency-key": "invite" });
    const [first, again] = [await once(), await once()];
    assert.deepEqual([first.status, again.status, again.body.invitation_url], [201, 201, null]);
    assert.equal((await accept(tokenIn(first.body.invitation_url))).status, 201);
  });

  await t.test("a test key changes and invites nobody who could turn to live", async () => {
    const member = await aUser(anEmail());
    assert.deepEqual(code(await api.post(`/v1/users/${member}/invitation`)), [403, "live_key_required"]);
    assert.deepEqual(code(await api.patch(`/v1/users/${member}`, { permission: "admin" })), [403, "live_key_required"]);
    const viewer = await aPerson(api, "viewer");
    const path = `/v1/users/${viewer.session.user.unique_id}`;
    assert.deepEqual(code(await api.post(`${path}/invitation`)), [403, "live_key_required"]);
    assert.deepEqual(code(await api.patch(path, { name: "Vi" })), [403, "live_key_required"]);
    assert.deepEqual(code(await api.delete(path)), [403, "live_key_required"]);
  });
});

test("a password is changed by whoever knows it, which ends his other sessions", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const [ann, other] = [await aPerson(api, "manager"), await aPerson(api, "manager")];
  const elsewhere = personOf(api, ann.email, await signIn(api, ann.email, PASSWORD));
  const change = (current_password: string, new_password: string) =>
    ann.ask("POST", "/v1/session/password", { current_password, new_password });

  assert.deepEqual(code(await change("not the password", "another horse 99")), [401, "wrong_credentials"]);
  assert.equal((await change(PASSWORD, "qwertyqwerty")).body.details[0].field, "new_password");
  assert.equal((await elsewhere.ask("GET", "/v1/me")).status, 200);
  const changed = await change(PASSWORD, "another horse 99");
  assert.deepEqual([changed.status, changed.body.ended_sessions], [200, 1]);
  assert.equal((await elsewhere.ask("GET", "/v1/me")).status, 401);
  const now = personOf(api, ann.email, { ...changed, status: 201 });
  assert.equal((await now.ask("GET", "/v1/me")).status, 200);
  assert.equal((await other.ask("GET", "/v1/me")).status, 200);
  assert.equal((await signIn(api, ann.email, PASSWORD)).status, 401);
  assert.equal((await signIn(api, ann.email, "another horse 99")).status, 201);
});

function guessFrom(localAddress: string, url: string, email: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(`${url}/v1/session`, { method: "POST", localAddress, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    sent.on("error", reject).end(JSON.stringify({ email, password: "not the password" }));
  });
}
