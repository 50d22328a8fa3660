import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { anOwner } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, type Parley, until } from "#test/support/api/parley.ts";
import { rawRequest } from "#test/support/api/raw-http.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Api = Pick<Parley, "get" | "post">;

const HANDSET = "+12125550199";
const aStop = (api: Api) => api.post(`${handsetPath(HANDSET)}/messages`, { to: SENDER, text: "STOP" });
const isShed = ({ status, body }: Answer) => status === 503 && body.code === "overloaded";

/** A campaign; on a machine that is busy with other tests the first try may be turned away itself. */
const begun = (api: Api, contacts: Record<string, unknown>[]) =>
  until("a campaign is begun", () => aCampaign(api, { contacts }).catch(() => undefined), 60_000);

const LISTED = "+12125550177";

/** What must be let in whatever else is going on: a STOP, a number that is taken off, and those who ask whether the process lives. */
async function assertUrgentIsServed(api: Api): Promise<number> {
  const started = performance.now();
  const [stop, listed, health, ready] = await Promise.all([
    aStop(api),
    api.post("/v1/dnc/add", { phone_number: LISTED }),
    api.get("/healthz"),
    api.get("/readyz"),
  ]);
  assert.deepEqual([stop.status, health.status], [201, 200], JSON.stringify(stop.body));
  assert.equal(listed.status, 201, JSON.stringify(listed.body));
  assert.equal(ready.body.checks.database, "ok", JSON.stringify(ready.body));
  return performance.now() - started;
}

test("with the database's connections used up, bulk posts and lists are refused and STOP is not", async (t) => {
  const api = await startApiProcess(t, { PARLEY_DATABASE_POOL: "2", PARLEY_OVERLOAD_MS: "1000" });
  const client = await openClient(t, api.databaseUrl);
  const { campaignId, organizationId, userId } = await begun(api, [{ phone_number: HANDSET }]);
  const list = () => api.get(`/v1/campaigns?organization_id=${organizationId}`);
  const owner = { organization_id: organizationId, user_id: userId };
  const bulk = () => api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts: [] });
  const isTaken = async () => (await list()).status === 200 && (await bulk()).status === 201;
  await until("lists and bulk posts are taken", isTaken);

  await client.query("begin; lock table campaigns in access exclusive mode");
  // Some wait for the lock until it is given back; the first that is turned away says so at once.
  const asked: Promise<Answer>[] = [];
  let shed: Answer | undefined;
  await until("a list is turned away", async () => {
    const answer = list();
    // So many may wait that the rest are refused before the database is known to be late.
    answer.then((answer) => {
      if (isShed(answer) && /repeat/.test(answer.body.error)) shed ??= answer;
    });
    asked.push(answer);
    return shed !== undefined;
  });
  assert.ok(Number(shed!.headers.get("retry-after")) >= 1);
  assert.ok(isShed(await bulk()));
  assert.ok(isShed(await api.post(`/v1/campaigns/${campaignId}/leads`, { clients: [{ phone_number: HANDSET }] })));
  const took = [];
  for (let i = 0; i < 20; i++) took.push(await assertUrgentIsServed(api));
  await client.query("rollback");

  t.diagnostic(`20 STOPs while lists were stuck: slowest ${Math.round(Math.max(...took))} ms`);
  for (const answer of await Promise.all(asked)) assert.ok([200, 503].includes(answer.status));
  await until("lists and bulk posts are taken again", isTaken);
  const { body } = await api.get(handsetPath(HANDSET));
  assert.equal(body.messages.length, 20, "no STOP is lost");
});

test("with more list requests than it can answer, an api refuses lists and takes every STOP", async (t) => {
  const api = await startApiProcess(t, { PARLEY_OVERLOAD_MS: "300" });
  const contacts = Array.from({ length: 1_000 }, (_, i) => ({
    phone_number: `+1212458${1000 + i}`,
    notes: "n".repeat(500),
  }));
  const { campaignId } = await begun(api, contacts);
  const statuses = new Map<number, number>();
  const end = new AbortController();
  const ask = async () => {
    while (!end.signal.aborted) {
      const { status } = await api.get(`/v1/campaigns/${campaignId}/leads?limit=500`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // As a client that heeds Retry-After, but sooner.
      if (status === 503) await pause(250);
    }
  };
  // More than are made at a time, and few enough for a slow machine to come to an end with.
  const asking = Array.from({ length: 60 }, ask);
  const took: number[] = [];
  const counts = () => JSON.stringify(Object.fromEntries(statuses));
  await until(
    "some are turned away and some are served",
    async () => {
      took.push(await assertUrgentIsServed(api));
      return took.length >= 5 && (statuses.get(503) ?? 0) > 0 && (statuses.get(200) ?? 0) > 0;
    },
    180_000,
  );
  end.abort();
  await Promise.all(asking);
  t.diagnostic(`lists ${counts()}, ${took.length} STOPs, slowest ${Math.round(Math.max(...took))} ms`);
  assert.deepEqual(
    [...statuses.keys()].filter((status) => ![200, 503].includes(status)),
    [],
  );
  // A list too, and turned away for as long as the last of them are still being made.
  const { body } = await until("lists are made again", async () => {
    const answer = await api.get(handsetPath(HANDSET));
    return answer.status === 200 && answer;
  });
  assert.equal(body.messages.length, took.length, "no STOP is lost");
});

test("large bodies are taken as far as memory for them goes: a tenant's share, and everybody's", async (t) => {
  const api = await startApiProcess(t);
  const tenants = [api, await anotherTenant(api), await anotherTenant(api)] as const;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const smallList = async (as: Api & Pick<Parley, "request">) =>
    as.post("/v1/contacts/lists", { ...(await anOwner(as)), list_name: "L", contacts: [] });
  /** Announces a body of 64 MB and begins to send it. */
  const hold = ({ key, url }: { key: string; url: string }) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) }).on("error", () => {});
    sockets.push(socket);
    const headers = [`X-API-Key: ${key}`, "Content-Type: application/json", `Content-Length: ${64 * 1024 * 1024}`];
    socket.write(rawRequest("POST /v1/contacts/lists", headers, '{"list_name":'));
    return socket;
  };

  hold(tenants[0]);
  const first = hold(tenants[0]);
  const ofOne = await until("the first tenant has its share", async () => {
    const answer = await smallList(tenants[0]);
    return answer.status !== 201 && answer;
  });
  assert.deepEqual([ofOne.status, ofOne.body.code, ofOne.headers.get("retry-after")], [429, "rate_limited", "1"]);
  assert.equal((await smallList(tenants[2])).status, 201, "the others go on");
  hold(tenants[1]);
  hold(tenants[1]);
  const ofAll = await until("all of it is used", async () => {
    const answer = await smallList(tenants[2]);
    return answer.status !== 201 && answer;
  });
  assert.ok(isShed(ofAll), JSON.stringify(ofAll.body));
  assert.ok(Number(ofAll.headers.get("retry-after")) >= 1);
  assert.equal((await tenants[2].get("/v1/me")).status, 200, "what has no large body goes on");
  first.destroy();
  await until(
    "what a connection held is free once it is cut",
    async () => (await smallList(tenants[2])).status === 201,
  );
});
