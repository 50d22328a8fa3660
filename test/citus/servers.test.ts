import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { watchServers } from "#store/database/servers.ts";
import { until } from "#test/support/api/parley.ts";
import { CITUS_URL, clusterServer, onServer } from "#test/support/database/citus.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { isFillable, smallDisk } from "#test/support/database/small-disk.ts";
import { startProxy } from "#test/support/database/tcp-proxy.ts";
import {
  asking,
  bothComplete,
  everythingElse,
  inShort,
  isCompleted,
  type Placed,
  type Sending,
  twoTenants,
  WITHIN_MS,
} from "./two-tenants.ts";

/** What is done to a server, and what mends it. */
type Fault = { begin(): Promise<void>; end(): Promise<void> };
type FaultOf = (client: pg.Client, away: Placed) => Promise<Fault>;

/** One that says so when it is refused: a status. */
type Asks = (away: Sending) => Promise<{ status: number; headers: Headers }>;

const reads: Asks = ({ api, campaignId }) => api.get(`/v1/campaigns/${campaignId}`);
/** A thousand contacts, that nobody is sent anything for. */
const writes: Asks = ({ api, owner }) => {
  const contacts = Array.from({ length: 1_000 }, (_, i) => ({
    phone_number: `+1213${4_440_000 + i}`,
    note: "x".repeat(200),
  }));
  return api.post("/v1/contacts/lists", { ...owner, list_name: "Many", contacts });
};

async function withoutOneServer(t: TestContext, faultOf: FaultOf, asks = reads): Promise<void> {
  let fault: Fault | undefined;
  const { parley, there, away } = await twoTenants(t, async (client, _, placed) => {
    fault = await faultOf(client, placed);
  });
  const before = asking(there);
  await pause(3_000);
  const usual = await before.end();

  const meanwhile = asking(there);
  const began = performance.now();
  const said: string[] = [];
  try {
    await fault!.begin();
    const refused = await until("the tenant of that server is refused", async () => {
      const answer = await asks(away);
      return answer.status === 503 && answer;
    });
    said.push(`refused after ${Math.round(performance.now() - began)} ms`);
    assert.ok(Number(refused.headers.get("retry-after")) > 0, "with a time after which to ask again");
    await until("the other tenant's campaign completes", () => isCompleted(there), WITHIN_MS);
    await everythingElse(there);
    const atOnce = performance.now();
    assert.equal((await asks(away)).status, 503);
    said.push(`then within ${Math.round(performance.now() - atOnce)} ms`);
  } finally {
    await fault!.end();
  }
  const { times, wrong } = await meanwhile.end();
  assert.deepEqual(wrong, [], "the other tenant was always answered");
  await bothComplete(parley.databaseUrl, [there, away]);
  t.diagnostic(
    `${said.join(", ")}; the other tenant's answers, p50/p99/most in ms: ${inShort(usual.times)} before, ${inShort(times)} of ${times.length} meanwhile`,
  );
}

test("while a server is killed the tenants of the others go on, and its own when it is back", (t) =>
  withoutOneServer(t, async (_, { port }) => {
    const server = await clusterServer(port);
    return { begin: () => server.kill(), end: () => server.start() };
  }));

test("while a server is suspended the tenants of the others go on, and its own when it is back", (t) =>
  withoutOneServer(t, async (_, { port }) => {
    const server = await clusterServer(port);
    return { begin: () => server.pause(), end: () => server.resume() };
  }));

test("while the network to a server is cut the tenants of the others go on, and its own when it is mended", (t) =>
  withoutOneServer(t, async (client, { port }) => {
    const { rows } = await client.query("select nodeid as id, nodename as host from pg_dist_node where nodeport = $1", [
      port,
    ]);
    const { id, host } = rows[0];
    const proxy = await startProxy(t, { host, port });
    const { hostname, port: there } = new URL(proxy.url(CITUS_URL!));
    await client.query("select citus_update_node($1, $2, $3)", [id, hostname, Number(there)]);
    return { begin: async () => proxy.set({ partition: true }), end: async () => proxy.set({}) };
  }));

test(
  "while a server's disk is full the tenants of the others go on, and its own when there is room",
  {
    skip: isFillable() ? false : "only root can mount a small disk",
  },
  (t) =>
    withoutOneServer(
      t,
      async (client, { port }) => {
        const disk = await smallDisk(t, client, port, ["messages", "attempts", "contacts", "list_members"]);
        return { begin: async () => disk.fill(), end: async () => disk.empty() };
      },
      writes,
    ),
);

test("while the coordinator is down everybody is refused, and all go on when it is back", async (t) => {
  const { parley, there, away } = await twoTenants(t);
  const coordinator = await clusterServer(Number(new URL(CITUS_URL!).port));
  const began = performance.now();
  try {
    await coordinator.kill();
    for (const sending of [there, away])
      await until("a tenant is refused", async () => {
        const { status, headers } = await reads(sending);
        return status === 503 && Number(headers.get("retry-after")) > 0;
      });
    t.diagnostic(`both refused after ${Math.round(performance.now() - began)} ms`);
  } finally {
    await coordinator.start();
  }
  const back = performance.now();
  await until("both are answered", async () => {
    const answers = await Promise.all([there, away].map(reads));
    return answers.every(({ status }) => status === 200);
  });
  t.diagnostic(`answered ${Math.round(performance.now() - back)} ms after its return`);
  await bothComplete(parley.databaseUrl, [there, away]);
});

/** The server's side of a connection over which it was asked for a tenant, and when it was last. */
const LOOKS = `select pid, query_start::text as at from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and query like '%tenants\\_%'`;

test("each server is looked at over one connection, as long as that lasts", async (t) => {
  const url = await cloneDatabase(t);
  const servers = watchServers({ url, name: "looks", nowMs: () => performance.now(), onOutage: () => [] });
  t.after(() => servers.close());
  servers.watch();
  const nodes = await onServer(
    { host: new URL(url).hostname, port: Number(new URL(url).port) },
    new URL(url).pathname.slice(1),
    "select nodename as host, nodeport as port from pg_dist_node where shouldhaveshards",
  );
  for (const node of nodes as { host: string; port: number }[]) {
    const seen: { pid: number; at: string }[] = [];
    await until("it is looked at three times", async () => {
      const looks = (await onServer(node, new URL(url).pathname.slice(1), LOOKS)) as { pid: number; at: string }[];
      seen.push(...looks.filter(({ at }) => seen.every((look) => look.at !== at)));
      return seen.length >= 3;
    });
    assert.equal(new Set(seen.map(({ pid }) => pid)).size, 1);
  }
});
