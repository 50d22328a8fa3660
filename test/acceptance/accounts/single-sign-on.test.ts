import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { codeOf, withApp } from "#test/support/accounts/factors.ts";
import { startProvider, type TestProvider } from "#test/support/accounts/identity-provider.ts";
import {
  anEmail,
  aPerson,
  cookiesOf,
  open,
  PASSWORD,
  type Person,
  personOf,
  signIn,
} from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, type Parley, startParley, until } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const code = ({ status, body }: Answer) => [status, body.code];
const REFUSED = [403, "sign_on_refused"];

/** A service, an admin of it, a real provider, and how the service has it. */
async function aSite(t: TestContext, more: Record<string, unknown> = {}) {
  const api = await startParley(t, { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" }, ["api"]);
  const idp = await startProvider(t, [`${api.url}/console/sign-on`]);
  const admin = await aPerson(api, "admin");
  const made = await admin.ask("POST", "/v1/organizations", { name: "Sales" });
  const organization = made.body.organization?.unique_id ?? made.body.unique_id ?? made.body.organization_id;
  const body = {
    name: "Acme",
    issuer: idp.issuer,
    ...idp.client,
    email_domains: ["acme.example"],
    organization_ids: [organization],
    creates_users: true,
    ...more,
  };
  const created = await admin.ask("POST", "/v1/identity-providers", body);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const id: string = created.body.provider.provider_id;
  const change = (changes: object) => admin.ask("PUT", `/v1/identity-providers/${id}`, { ...body, ...changes });
  return { api, idp, admin, organization, created, id, body, change };
}

type Begun = { url: string; cookie: string };

async function begin(api: Parley, wanted: object): Promise<Begun> {
  const answer = await open(api, "/v1/session/oidc", wanted);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [cookie = ""] = cookiesOf(answer)[0]!.split(";");
  return { url: answer.body.authorization_url, cookie };
}

const end = (api: Parley, cookie: string, back: URL): Promise<Answer> =>
  open(api, "/v1/session/oidc/callback", { query: back.search.slice(1) }, { cookie });

/** The whole way of a browser. */
async function signOn(api: Parley, idp: TestProvider, wanted: object): Promise<Answer> {
  const { url, cookie } = await begin(api, wanted);
  return end(api, cookie, await idp.visit(url));
}

/** The session cookie is set beside the one of the sign-in, which is cleared. */
const entered = (api: Parley, email: string, answer: Answer): Person => {
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const own = cookiesOf(answer).find((each) => each.startsWith("parley_session="))!;
  return personOf(api, email, { ...answer, headers: new Headers([["set-cookie", own]]) });
};

const verified = (email: string, more: object = {}) => ({
  sub: `sub of ${email}`,
  email,
  email_verified: true,
  ...more,
});

test("somebody of the provider signs in, first as a new user and then as the same", async (t) => {
  const { api, idp, admin, id, created } = await aSite(t);
  const sql = await openClient(t, api.databaseUrl);
  const email = anEmail();
  idp.account = verified(email, { name: "Ann\u0000 Lee" });

  await t.test("the secret is kept sealed and shown to nobody", async () => {
    const { rows } = await sql.query("select client_secret from identity_providers");
    assert.match(rows[0].client_secret, /^[^.]+\../);
    const listed = await admin.ask("GET", "/v1/identity-providers");
    for (const text of [JSON.stringify(rows), JSON.stringify(created.body), JSON.stringify(listed.body)])
      assert.ok(!text.includes(idp.client.client_secret));
    assert.equal(listed.body.providers[0].has_client_secret, true);
    assert.equal(listed.body.redirect_uri, created.body.provider.redirect_uri);
    assert.equal(created.body.provider.redirect_uri, `${api.url}/console/sign-on`);
  });

  await t.test("the way there has a state, a nonce and PKCE, and a cookie of ten minutes", async () => {
    const answer = await open(api, "/v1/session/oidc", { email });
    const query = new URL(answer.body.authorization_url).searchParams;
    const byId = await open(api, "/v1/session/oidc", { provider_id: id, email: "ann@other.example" });
    assert.equal(new URL(byId.body.authorization_url).searchParams.get("login_hint"), "ann@other.example");
    assert.equal((await open(api, "/v1/session/oidc", {})).status, 400);
    assert.equal(query.get("code_challenge_method"), "S256");
    assert.equal(query.get("login_hint"), email);
    for (const name of ["state", "nonce", "code_challenge"]) assert.ok(query.get(name)!.length >= 43, name);
    assert.match(cookiesOf(answer)[0]!, /^parley_sign_on=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  await t.test("by the address's domain, or by the provider's id", async () => {
    const first = entered(api, email, await signOn(api, idp, { email }));
    const again = entered(api, email, await signOn(api, idp, { provider_id: id }));
    assert.equal(first.session.user.unique_id, again.session.user.unique_id);
    assert.notEqual(first.session.session_id, again.session.session_id);
    assert.equal(first.session.permission, "viewer");
    assert.deepEqual(first.session.proof_kinds, [], "there is no password to show");
    assert.equal((await again.ask("GET", "/v1/me")).status, 200);
    const { rows } = await sql.query("select name from users where email = $1", [email]);
    assert.deepEqual([...new Set(rows.map(({ name }) => name))], ["Ann Lee"]);
  });

  await t.test("it is the subject that counts: an address that another gets there opens nobody's account", async () => {
    idp.account = { ...verified(email), sub: "another" };
    assert.deepEqual(code(await signOn(api, idp, { provider_id: id })), REFUSED);
    const moved = anEmail();
    idp.account = { ...verified(moved), sub: `sub of ${email}` };
    const same = entered(api, moved, await signOn(api, idp, { provider_id: id }));
    assert.equal(same.session.user.email, email);
  });

  await t.test("whoever has the verified address already is that user", async () => {
    const bo = await aPerson(api, "manager");
    idp.account = verified(bo.email.toUpperCase());
    const same = entered(api, bo.email, await signOn(api, idp, { provider_id: id }));
    assert.equal(same.session.user.unique_id, bo.session.user.unique_id);
    assert.equal(same.session.permission, "manager", "without groups the role stays");
  });

  await t.test("it is in the audit log, also where it was refused", async () => {
    const { rows } = await sql.query(
      "select outcome, count(*)::int as count from audit_entries where operation = 'completeSignOn' group by 1 order by 1",
    );
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ["done", "refused"],
    );
  });
});

test("what comes back counts once, in the browser that began it, and only if the provider has said it", async (t) => {
  const { api, idp, id, change } = await aSite(t);
  const email = anEmail();
  idp.account = verified(email);
  const refusals: Record<string, (begun: Begun) => Promise<Answer>> = {
    "a state of another browser": async ({ url }) => {
      const other = await begin(api, { email });
      return end(api, other.cookie, await idp.visit(url));
    },
    "a state without its cookie": async ({ url }) => end(api, "", await idp.visit(url)),
    "a state that was made up": async ({ url, cookie }) => {
      const back = await idp.visit(url);
      back.searchParams.set("state", `${id}.AAAA`);
      return end(api, cookie, back);
    },
    "a refusal by the provider": async ({ url, cookie }) => {
      const state = new URL(url).searchParams.get("state")!;
      const back = new URL(`${api.url}/console/sign-on`);
      back.search = String(new URLSearchParams({ state, error: "access_denied", iss: idp.issuer }));
      return end(api, cookie, back);
    },
    "an answer of another issuer (mix-up)": async ({ url, cookie }) => {
      const back = await idp.visit(url);
      back.searchParams.set("iss", "https://other.example");
      return end(api, cookie, back);
    },
    "an answer without its issuer": async ({ url, cookie }) => {
      const back = await idp.visit(url);
      back.searchParams.delete("iss");
      return end(api, cookie, back);
    },
    "a code of another sign-in": async ({ url, cookie }) => {
      const other = await begin(api, { email });
      const [back, theirs] = [await idp.visit(url), await idp.visit(other.url)];
      back.searchParams.set("code", theirs.searchParams.get("code")!);
      return end(api, cookie, back);
    },
  };
  const sql = await openClient(t, api.databaseUrl);
  /** The refusal is in the audit log, by the sentence of its answer. */
  const isLogged = async ({ body }: Answer) => {
    const newest = `select content->>'reason' as reason from audit_entries
      where operation = 'completeSignOn' and outcome = 'refused' order by id desc limit 1`;
    await until(`an entry: ${body.error}`, async () => (await sql.query(newest)).rows[0]?.reason === body.error);
  };

  for (const [what, answer] of Object.entries(refusals))
    await t.test(`${what} is refused`, async () => {
      const got = await answer(await begin(api, { email }));
      assert.deepEqual(code(got), REFUSED, JSON.stringify(got.body));
      await isLogged(got);
    });

  const now = Math.floor(Date.now() / 1_000);
  const tokens = {
    "for another audience": [{ claims: { aud: "another-client" } }, /is for another client/],
    "that has expired": [{ claims: { iat: now - 7_200, exp: now - 3_600 } }, /has expired/],
    "with another nonce": [{ claims: { nonce: "of another sign-in" } }, /is of another sign-in/],
    "of another issuer": [{ claims: { iss: "https://other.example" } }, /names another issuer/],
    "without a signature": [{ by: "none" }, /is not signed by a key of the provider/],
    "signed by another key": [{ by: "other" }, /is not signed by a key of the provider/],
  } as const;
  for (const [what, [tampering, sentence]] of Object.entries(tokens))
    await t.test(`a token ${what} is refused`, async () => {
      idp.tampering = tampering;
      const got = await signOn(api, idp, { email });
      idp.tampering = undefined;
      assert.deepEqual(code(got), REFUSED, JSON.stringify(got.body));
      assert.match(got.body.error, sentence, what);
      await isLogged(got);
    });

  await t.test(
    "a token that the proxy signs by the provider's key unchanged passes: the changes above are what is refused",
    async () => {
      idp.tampering = { claims: {} };
      const got = await signOn(api, idp, { email });
      idp.tampering = undefined;
      assert.equal(got.status, 201, JSON.stringify(got.body));
    },
  );

  await t.test("the same answer counts no second time (replay)", async () => {
    const { url, cookie } = await begin(api, { email });
    const back = await idp.visit(url);
    const both = await Promise.all([end(api, cookie, back), end(api, cookie, back)]);
    assert.deepEqual(both.map(({ status }) => status).filter((status) => status === 201).length <= 1, true);
    assert.deepEqual(code(await end(api, cookie, back)), REFUSED);
  });

  await t.test("a key that the provider has changed counts at once, and the one before no more", async () => {
    idp.rotateKeys();
    const got = await signOn(api, idp, { email });
    assert.equal(got.status, 201, JSON.stringify(got.body));
  });

  const people = {
    "without a verified address": { ...verified(anEmail()), email_verified: false },
    "without a word on whether it is": { sub: "no word", email: anEmail() },
    "without an address": { sub: "no address" },
    "of a foreign domain": verified("eve@evil.example"),
    "of a domain that ends so": verified("eve@notacme.example"),
  };
  for (const [what, account] of Object.entries(people))
    await t.test(`somebody ${what} is refused`, async () => {
      idp.account = account;
      const got = await signOn(api, idp, { provider_id: id });
      assert.deepEqual(code(got), REFUSED);
      await isLogged(got);
    });

  await t.test("addresses on which the provider is silent count where an admin says so, and no others", async () => {
    await change({ emails_trusted: true });
    const silent = anEmail();
    idp.account = { sub: "silent", email: silent };
    entered(api, silent, await signOn(api, idp, { provider_id: id }));
    idp.account = { ...verified(anEmail()), email_verified: false };
    assert.deepEqual(code(await signOn(api, idp, { provider_id: id })), REFUSED);
    await change({ emails_trusted: false });
  });

  await t.test("whom nobody has made is refused where users are not made", async () => {
    await change({ creates_users: false });
    idp.account = verified(anEmail());
    assert.deepEqual(code(await signOn(api, idp, { provider_id: id })), REFUSED);
  });

  await t.test("a provider that is down is one sentence, before and after the person was there", async () => {
    idp.account = verified(email);
    const { url, cookie } = await begin(api, { email });
    const back = await idp.visit(url);
    idp.isDown = true;
    const late = await end(api, cookie, back);
    const early = await open(api, "/v1/session/oidc", { email });
    idp.isDown = false;
    for (const got of [late, early]) {
      assert.deepEqual(code(got), [422, "provider_problem"], JSON.stringify(got.body));
      assert.match(got.body.error, /^[^.]*ECONN[^.]*$|cannot be re/);
    }
  });
});

test("role and organizations follow the groups at each sign-in, and the last admin stays", async (t) => {
  const { api, idp, admin, organization, id, change } = await aSite(t);
  const other = (await admin.ask("POST", "/v1/organizations", { name: "Other" })).body;
  const otherId = other.organization?.unique_id ?? other.unique_id ?? other.organization_id;
  const rules = {
    groups_claim: "groups",
    group_roles: [
      { group: "boss", permission: "admin", organization_ids: [] },
      { group: "lead", permission: "manager", organization_ids: [otherId] },
    ],
  };
  assert.equal((await change(rules)).status, 200);
  const email = anEmail();
  const as = async (groups: readonly string[], address = email) => {
    idp.account = verified(address, { groups });
    return entered(api, address, await signOn(api, idp, { provider_id: id }));
  };
  const lead = await as(["lead"]);
  assert.equal(lead.session.permission, "manager");
  assert.deepEqual(lead.session.user.organization_ids, [otherId]);
  const viewer = await as([]);
  assert.equal(viewer.session.permission, "viewer");
  assert.deepEqual(viewer.session.user.organization_ids, [organization], "what the group brought is gone");
  assert.equal((await as(["boss", "lead"])).session.permission, "admin");
  assert.equal((await viewer.ask("GET", "/v1/me")).status, 401, "a session gets no more rights than it began with");
  assert.equal((await as([])).session.permission, "viewer", "another admin is left");

  const stays = await as([], admin.email);
  assert.equal(stays.session.permission, "admin", "the last admin");
  await as(["boss"]);
  assert.equal((await as([], admin.email)).session.permission, "viewer", "no longer the last");

  const boss = await as(["boss"]);
  const none = { ...rules, permission: null };
  const body = (await boss.ask("GET", "/v1/identity-providers")).body.providers[0];
  const { provider_id, has_client_secret, redirect_uri, sign_in_url, created_at, ...rest } = body;
  assert.equal((await boss.ask("PUT", `/v1/identity-providers/${id}`, { ...rest, ...none })).status, 200);
  idp.account = verified(anEmail(), { groups: ["none of them"] });
  assert.deepEqual(code(await signOn(api, idp, { provider_id: id })), REFUSED);
});

test("a second factor is asked for unless the provider says that it was shown there", async (t) => {
  const { api, idp, admin, id, body, change } = await aSite(t);
  const { person, secret } = await withApp(api, await aPerson(api, "manager"));
  idp.account = verified(person.email);
  const half = entered(api, person.email, await signOn(api, idp, { provider_id: id }));
  assert.equal(half.session.pending, "factor");
  assert.deepEqual(code(await half.ask("GET", "/v1/me")), [403, "factor_required"]);
  assert.equal((await half.ask("POST", "/v1/session/proof", { code: codeOf(secret) })).status, 201);
  idp.tampering = { claims: { amr: ["pwd", "mfa"] } };
  const whole = entered(api, person.email, await signOn(api, idp, { provider_id: id }));
  assert.equal(whole.session.pending, null);
  idp.tampering = undefined;

  assert.equal((await change({ factor_trusted: true })).status, 200);
  const trusted = entered(api, person.email, await signOn(api, idp, { provider_id: id }));
  assert.equal(trusted.session.pending, null, "an admin says that the provider asks for one");

  assert.equal(
    (await admin.ask("PUT", "/v1/sign-in-policy", { factor_required: true, organization_ids: [] })).status,
    200,
  );
  const email = anEmail();
  idp.account = verified(email);
  const first = entered(api, email, await signOn(api, idp, { provider_id: id }));
  assert.equal(first.session.pending, null, "also where one is required");
  assert.deepEqual(
    code(await change({ factor_trusted: false })),
    [403, "factor_required"],
    "of who came by a password",
  );
  idp.account = verified(admin.email);
  const boss = entered(api, admin.email, await signOn(api, idp, { provider_id: id }));
  assert.equal((await boss.ask("PUT", `/v1/identity-providers/${id}`, body)).status, 200);
  idp.account = verified(email);
  const asked = entered(api, email, await signOn(api, idp, { provider_id: id }));
  assert.equal(asked.session.pending, "enrolment");
});

test("a domain's providers are found by whoever asks, and say of nobody whether there is an account", async (t) => {
  const { api, id } = await aSite(t);
  const find = async (query: string) => (await api.get(`/v1/session/oidc?${query}`, { key: null })).body;
  assert.deepEqual((await find("domain=ACME.example")).providers, [{ provider_id: id, name: "Acme" }]);
  assert.deepEqual((await find(`provider_id=${id}`)).providers, [{ provider_id: id, name: "Acme" }]);
  for (const none of ["domain=nobody.example", "domain=example", "provider_id=nonsense"])
    assert.deepEqual((await find(none)).providers, []);
  for (const wrong of ["", `domain=acme.example&provider_id=${id}`, "domain=a%00b", "domain="])
    assert.equal((await find(wrong)).code, "invalid_request", wrong);
});

test("a tenant that names a domain later takes nobody from the one that named it first", async (t) => {
  const { api, idp, id } = await aSite(t);
  const other = await anotherTenant(api, "live");
  const body = { name: "Later", issuer: idp.issuer, ...idp.client, email_domains: ["acme.example"] };
  const made = await other.post("/v1/identity-providers", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const found = await api.get("/v1/session/oidc?domain=acme.example", { key: null });
  assert.deepEqual(found.body.providers, [{ provider_id: id, name: "Acme" }]);
  const email = anEmail();
  idp.account = verified(email);
  assert.equal((await begin(api, { email })).url.startsWith(idp.issuer), true);
  const foreign = await other.request("DELETE", `/v1/identity-providers/${id}`);
  assert.equal(foreign.status, 404, "another tenant's");
});

test("where passwords are refused everybody comes by the provider, once an admin has", async (t) => {
  const { api, idp, admin, id, change } = await aSite(t);
  const early = await change({ password_allowed: false });
  assert.deepEqual(code(early), [409, "conflict"], "nobody locks the tenant");
  idp.account = verified(admin.email);
  entered(api, admin.email, await signOn(api, idp, { provider_id: id }));
  assert.equal((await change({ password_allowed: false })).status, 200);
  assert.deepEqual(code(await signIn(api, admin.email, PASSWORD)), [403, "sign_on_required"]);
  assert.deepEqual(code(await signIn(api, admin.email, "a wrong one of twelve")), [401, "wrong_credentials"]);
  entered(api, admin.email, await signOn(api, idp, { provider_id: id }));
  assert.equal((await admin.ask("POST", `/v1/identity-providers/${id}/check`)).status, 200);
  assert.equal((await admin.ask("DELETE", `/v1/identity-providers/${id}`)).status, 200);
  const { entries } = (await admin.ask("GET", `/v1/audit?object_id=${id}`)).body;
  const written = entries.map(({ operation, outcome }: Record<string, string>) => `${operation} ${outcome}`);
  const changes = ["createIdentityProvider done", "putIdentityProvider done", "deleteIdentityProvider done"];
  assert.deepEqual(
    written.filter((entry: string) => !entry.startsWith("completeSignOn")).toSorted(),
    changes.toSorted(),
    "one of each change, none of the check and of what was refused",
  );
  assert.ok(!JSON.stringify(entries).includes(idp.client.client_secret), "without the secret");
  assert.equal((await signIn(api, admin.email, PASSWORD)).status, 201, "without the provider passwords count again");
});

test("a provider is checked in one sentence, and none within the network is asked", async (t) => {
  const { api, idp, admin, id, change } = await aSite(t);
  const check = () => admin.ask("POST", `/v1/identity-providers/${id}/check`);
  assert.deepEqual((await check()).body.problem, null);
  idp.isDown = true;
  assert.match((await check()).body.problem, /^http:\/\/127\.0\.0\.1:\d+ cannot be read as an issuer: [^.]+$/);
  idp.isDown = false;
  for (const [issuer, why] of [
    ["http://idp.example", /must begin with https/],
    ["https://10.0.0.1", /must be a host of the internet/],
    ["https://localhost", /must be a host of the internet/],
    ["https://169.254.169.254/latest", /must be a host of the internet/],
    ["https://user@idp.example", /without user/],
    ["nonsense", /must be a URL/],
  ] as const) {
    const { status, body } = await change({ issuer });
    assert.equal(status, 400, issuer);
    assert.match(JSON.stringify(body.details), why, issuer);
  }
  assert.equal((await change({ issuer: "https://idp.example", client_secret: undefined })).status, 400);
  assert.equal((await open(api, "/v1/session/oidc", { email: "a@nobody.example" })).status, 404);
  const test_key = await api.post("/v1/identity-providers", {
    ...{ name: "A", issuer: idp.issuer, client_id: "a", email_domains: ["a.example"] },
  });
  assert.deepEqual(code(test_key), [403, "live_key_required"]);
  const manager = await aPerson(api, "manager");
  assert.deepEqual(code(await manager.ask("GET", "/v1/identity-providers")), [403, "role_refused"]);
  assert.equal((await admin.ask("POST", "/v1/identity-providers", {})).status, 400);
});
