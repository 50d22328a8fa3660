import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { codeOf, renewed } from "#test/support/accounts/factors.ts";
import { startProvider } from "#test/support/accounts/identity-provider.ts";
import { aPerson, cookiesOf, open, personOf } from "#test/support/accounts/person.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

const LOCKS_USER = "%from users%for no key update%";
const ENDS_OTHERS = "%delete from sessions%is distinct from%";
const FORGETS_OVER = "%delete from sessions%expires_at <=%";

/** Somebody of a provider, about to confirm an app for codes as a first factor, and about to sign in a second time. */
async function aRace(t: TestContext) {
  const api = await startParley(t, { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" }, ["api"]);
  const idp = await startProvider(t, [`${api.url}/console/sign-on`]);
  const admin = await aPerson(api, "admin");
  const organization = (await admin.ask("POST", "/v1/organizations", { name: "Sales" })).body.unique_id;
  const made = await admin.ask("POST", "/v1/identity-providers", {
    ...{ name: "Acme", issuer: idp.issuer, ...idp.client, email_domains: ["acme.example"] },
    ...{ organization_ids: [organization], creates_users: true },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const email = "ann@acme.example";
  idp.account = { sub: "ann", email, email_verified: true };
  /** What the provider sends back, still to be handed in. */
  const visit = async (): Promise<() => Promise<Answer>> => {
    const begun = await open(api, "/v1/session/oidc", { email });
    const [cookie = ""] = cookiesOf(begun)[0]!.split(";");
    const query = (await idp.visit(begun.body.authorization_url)).search.slice(1);
    return () => open(api, "/v1/session/oidc/callback", { query }, { cookie });
  };
  const entered = (answer: Answer) => {
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const own = cookiesOf(answer).find((each) => each.startsWith("parley_session="))!;
    return personOf(api, email, { ...answer, headers: new Headers([["set-cookie", own]]) });
  };
  const ann = entered(await (await visit())());
  const begun = await ann.ask("POST", "/v1/factors/app", { name: "Phone" });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const confirm = () =>
    ann.ask("POST", `/v1/factors/${begun.body.factor_id}/confirmation`, { code: codeOf(begun.body.secret) });

  // A session of hers that is over: both delete it once they hold the user, and so both wait there for whoever has it locked.
  const [holder, sql] = [await openClient(t, api.databaseUrl), await openClient(t, api.databaseUrl)];
  await sql.query(
    `insert into sessions (digest, id, tenant_id, user_id, mode, address, created_at, seen_at, expires_at)
     select '\\x01', gen_random_uuid(), tenant_id, id, 'test', '::1', now() - interval '2 days', now() - interval '2 days', now() - interval '1 day'
     from users where email = $1 limit 1`,
    [email],
  );
  await holder.query("begin");
  assert.equal((await holder.query("select from sessions where digest = '\\x01' for update")).rowCount, 1);

  /** Resolves once a statement of this form waits for a lock; fails where the request is answered instead. */
  const waits = async (what: string, answer: Promise<Answer>, form: string) => {
    let early: Answer | undefined;
    answer.then((got) => {
      early = got;
    });
    await until(`${what} waits`, async () => {
      assert.equal(early, undefined, `${what} did not wait: ${JSON.stringify(early?.body)}`);
      const { rowCount } = await sql.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [form],
      );
      return rowCount === 1;
    });
  };
  return { api, ann, confirm, signOn: await visit(), entered, waits, goOn: () => holder.query("rollback") };
}

test("a sign-on that comes while a first factor is being added waits for it, and lacks that factor then", async (t) => {
  const { api, ann, confirm, signOn, entered, waits, goOn } = await aRace(t);
  const adding = confirm();
  await waits("the factor", adding, ENDS_OTHERS);
  const signing = signOn();
  await waits("the sign-on", signing, LOCKS_USER);
  await goOn();

  const whole = renewed(api, ann, await adding);
  assert.equal((await whole.ask("GET", "/v1/me")).status, 200);
  const half = entered(await signing);
  assert.equal(half.session.pending, "factor");
  const refused = await half.ask("GET", "/v1/me");
  assert.deepEqual([refused.status, refused.body.code], [403, "factor_required"]);
});

test("a first factor that is added while a sign-on is under way waits for it, and ends its session", async (t) => {
  const { api, ann, confirm, signOn, entered, waits, goOn } = await aRace(t);
  const signing = signOn();
  await waits("the sign-on", signing, FORGETS_OVER);
  const adding = confirm();
  await waits("the factor", adding, LOCKS_USER);
  await goOn();

  const early = entered(await signing);
  assert.equal(early.session.pending, null, "no factor was there");
  const whole = renewed(api, ann, await adding);
  assert.equal((await whole.ask("GET", "/v1/me")).status, 200);
  const refused = await early.ask("GET", "/v1/me");
  assert.deepEqual([refused.status, refused.body.code], [401, "session_over"]);
});
