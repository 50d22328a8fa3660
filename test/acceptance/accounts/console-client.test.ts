import assert from "node:assert/strict";
import { test } from "node:test";
import { aPerson, PASSWORD } from "#test/support/accounts/person.ts";
import { startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Call = (key: string, given?: object) => Promise<Record<string, unknown>>;
type Client = {
  call: Call;
  setCsrfToken: (token: string | undefined) => void;
  onProofNeeded: (ask: () => Promise<boolean>) => () => void;
};

// By its address: the console's types are those of a browser.
const address = new URL("../../../console/src/api/client.ts", import.meta.url).href;
const { call, setCsrfToken, onProofNeeded } = (await import(address)) as Client;

/** Requests that are answered only once `go` is called: they went with the cookie of then. */
type Held = { path: string; go: () => void };

/** Has fetch work as in a browser at a page of the service: one cookie for all requests, and the page's origin. */
function asBrowser(url: string, cookie: string) {
  const [whole, held] = [globalThis.fetch, [] as Held[]];
  const jar = { cookie, holds: undefined as string | undefined };
  const fetchThere = async (path: string, init: RequestInit) => {
    const headers = { ...init.headers, cookie: jar.cookie, origin: url };
    if (jar.holds !== undefined && path.startsWith(jar.holds)) await new Promise<void>((go) => held.push({ path, go }));
    const response = await whole(url + path, { ...init, headers });
    for (const set of response.headers.getSetCookie())
      if (set.startsWith("parley_session=")) jar.cookie = set.split(";")[0]!;
    return response;
  };
  Object.assign(globalThis, { fetch: fetchThere });
  return { jar, held, leave: () => Object.assign(globalThis, { fetch: whole }) };
}

test("the console goes on while its session gets another cookie", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const ann = await aPerson(api, "admin");
  const { jar, held, leave } = asBrowser(api.url, ann.cookie);
  t.after(leave);
  setCsrfToken(ann.session.csrf_token);
  const proof = () => call("POST /v1/session/proof", { body: { password: PASSWORD } });
  const organizations = async () =>
    (await sql.query("select count(distinct id)::int as n from organizations where name like 'Made%'")).rows[0].n;

  await t.test(
    "what was under way with the cookie of before is sent again with the new one, and done once",
    async () => {
      const before = jar.cookie;
      jar.holds = "/v1/organizations";
      const asked = [
        call("GET /v1/organizations"),
        call("POST /v1/organizations", { body: { name: "Made meanwhile" } }),
        call("GET /v1/organizations", { query: { limit: 5 } }),
      ];
      assert.equal(held.length, 3);
      await proof();
      assert.notEqual(jar.cookie, before);
      jar.holds = undefined;
      for (const { go } of held.splice(0)) go();
      for (const { success } of await Promise.all(asked)) assert.equal(success, true);
      assert.equal(await organizations(), 1);
    },
  );

  await t.test("what needs a fresh proof asks for one, once for several, and is done after it", async () => {
    await sql.query("update sessions set proved_at = now() - interval '1 hour'");
    let times = 0;
    const end = onProofNeeded(async () => {
      times++;
      await proof();
      return true;
    });
    const key = (name: string) => call("POST /v1/api-keys", { body: { name, mode: "test", scopes: ["admin"] } });
    const made = await Promise.all([key("One"), key("Two")]);
    for (const { api_key } of made) assert.match(String(api_key), /^pk_test_/);
    assert.equal(times, 1);
    end();
  });

  await t.test("whoever shows nothing gets the reason, and nothing is done", async () => {
    await sql.query("update sessions set proved_at = now() - interval '1 hour'");
    const key = { body: { name: "Never", mode: "test", scopes: ["admin"] } };
    const refused = { code: "proof_required", status: 403 };
    await assert.rejects(call("POST /v1/api-keys", key), refused);
    const end = onProofNeeded(async () => false);
    await assert.rejects(call("POST /v1/api-keys", key), refused);
    end();
    assert.equal((await sql.query("select from api_keys where name = 'Never'")).rowCount, 0);
  });

  await t.test("a session that has ended is over, and is not asked again", async () => {
    const { cookie } = jar;
    await call("DELETE /v1/session");
    // As a page that was open in another tab sends it.
    jar.cookie = cookie;
    let asked = 0;
    const now = globalThis.fetch;
    Object.assign(globalThis, {
      fetch: (...given: Parameters<typeof fetch>) => {
        asked++;
        return now(...given);
      },
    });
    await assert.rejects(call("GET /v1/organizations"), { code: "session_over", status: 401 });
    assert.equal(asked, 1);
  });
});
