import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { diagnose } from "#app/command/doctor.ts";
import { wire } from "#app/context.ts";
import { startApi } from "#app/roles/api.ts";
import { bootstrap } from "#app/roles/keys.ts";
import { startService } from "#app/roles/service.ts";
import { startWorker } from "#app/roles/worker.ts";
import { readConfig } from "#app/settings/config.ts";
import { migrate } from "#store/database/migrate.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { readOperations } from "#test/support/api/openapi.ts";
import { BOOTSTRAP_KEY, client } from "#test/support/api/parley.ts";
import { aNoon, anAgent } from "#test/support/campaigns/campaign.ts";
import { startOwnPostgres } from "#test/support/database/own-postgres.ts";
import { startStandby } from "#test/support/database/standby.ts";
import { aMarkedTenant } from "#test/support/isolation/marked-tenant.ts";
import { readBack } from "#test/support/isolation/matrix.ts";
import { contractOperations } from "#test/support/source/contract-names.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { until } from "#test/support/time/until.ts";

const MAX_LAG_MS = 500;
/** Of them an export is larger than what is on its way to a reader who does not read. */
const CONTACTS = 8_000;
const NOTE = "n".repeat(3_000);

/** A database with a replica. */
async function aDatabase(t: TestContext) {
  const closing: (() => unknown)[] = [];
  const owner = { after: (close: () => unknown) => void closing.unshift(close) };
  t.after(async () => {
    for (const close of closing) await close();
  });
  const primary = (await startOwnPostgres(owner))!;
  await migrate(primary.url);
  const standby = await startStandby(owner, primary);
  const configOf = (more: Record<string, string>) => {
    const dataDir = aFolder("replica");
    return readConfig({
      DATABASE_URL: primary.url,
      PORT: "0",
      PARLEY_DATA_DIR: dataDir,
      PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
      PARLEY_LOG_LEVEL: "error",
      PARLEY_FIRST_HOUR_TEXTS: "0",
      PARLEY_RATE_LIMIT: "0",
      PARLEY_OVERLOAD_MS: "0",
      PARLEY_STANDSTILL_MS: "0",
      PARLEY_SIMULATOR_CALLS: "text",
      PARLEY_REPLICA_LAG_MS: String(MAX_LAG_MS),
      ...more,
    });
  };
  return { owner, primary, standby, configOf };
}

/** Two api nodes and a worker, the first of which reads from the replica. */
async function aService(t: TestContext) {
  const { owner, primary, standby, configOf } = await aDatabase(t);
  const start = async (more: Record<string, string>) => {
    const config = configOf(more);
    const api = await startApi(config, primary.url);
    owner.after(() => api.stop());
    return { ...client(api.url, BOOTSTRAP_KEY), config, databaseUrl: primary.url };
  };
  const boot = wire(configOf({}), primary.url, "boot");
  await bootstrap(boot.ctx, configOf({}));
  await boot.close();
  const worker = await startWorker(configOf({}), primary.url);
  owner.after(() => worker.stop());
  const one = await start({ DATABASE_REPLICA_URL: standby.url });
  const other = await start({});
  const readings = async (): Promise<Record<string, number>> => {
    const { body } = await one.get("/metrics", { key: null });
    const found = (body as string).matchAll(/^parley_replica_readings_total\{outcome="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, outcome, n]) => [outcome, Number(n)]));
  };
  const problem = async (): Promise<string | null> => {
    const { status, body } = await one.get("/v1/system");
    assert.equal(status, 200, JSON.stringify(body));
    return body.system.health.find(({ name }: { name: string }) => name === "replica").problem;
  };
  await until("the replica answers", async () => (await problem()) === null);
  return { standby, one, other, readings, problem };
}

type Service = Awaited<ReturnType<typeof aService>>;
type Api = Service["one"];

test("lists, analytics and exports are read from a replica", async (t) => {
  const { standby, one, other, readings, problem } = await aService(t);
  const { organizationId, userId } = await anAgent(other);
  const owner = { organization_id: organizationId, user_id: userId };
  const clients = Array.from({ length: CONTACTS }, (_, i) => ({ phone_number: `+1212${5_560_000 + i}`, note: NOTE }));
  const list = await other.post("/v1/contacts/lists", { ...owner, list_name: "Many", clients });
  assert.equal(list.status, 201, JSON.stringify(list.body));

  const nameOn = async (api: Api, name: string): Promise<boolean> =>
    (await api.get(`/v1/agents?limit=1&organization_id=${organizationId}`)).body.agents.some(
      (agent: { agent_name: string }) => agent.agent_name === name,
    );
  const agent = (name: string) =>
    other.post("/v1/agents", { agent_type: "sms", agent_name: name, prompt: "Ask.", ...owner });

  await t.test("what was made over another node is in the next list, whether the replica follows or not", async () => {
    const before = await readings();
    for (let i = 0; i < 20; i++) {
      const made = await agent(`Ann ${i}`);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.ok(await nameOn(one, `Ann ${i}`));
    }
    assert.ok((await readings()).replica! >= before.replica! + 20);
    await standby.pauseReplay();
    for (let i = 0; i < 3; i++) {
      await agent(`Ben ${i}`);
      assert.ok(await nameOn(one, `Ben ${i}`));
    }
    await until("the system says so", async () => /ms behind/.test((await problem()) ?? ""));
    assert.match((await one.get("/metrics", { key: null })).body, /^parley_replica_up 0$/m);
    await standby.resumeReplay();
    await until("the replica answers again", async () => (await problem()) === null);
  });

  await t.test("every list and report that may be read there can be, and shows no other tenant's", async () => {
    const their = await anotherTenant(one);
    for (const each of [one, their]) await aNoon(each);
    const ours = await aMarkedTenant(one.url, one.key, "ta");
    const theirs = await aMarkedTenant(one.url, their.key, "tb");
    const marked = new Set((await contractOperations()).filter(({ replica }) => replica).map(({ id }) => id));
    const operations = (await readOperations(one)).filter(({ id }) => marked.has(id));
    assert.equal(operations.length, marked.size);
    const before = await readings();
    for (const [reader, secret] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const found = await readBack(
        one.url,
        operations.map((operation) => ({ ...operation, form: undefined })),
        reader,
        secret,
      );
      assert.deepEqual(found.leaks, []);
      for (const id of ["listContacts", "exportContacts", "exportCampaignLeads"])
        assert.ok(found.marked.includes(id), `${id} has its own words`);
    }
    const after = await readings();
    assert.ok(after.replica! >= before.replica! + 2 * marked.size, JSON.stringify(after));
    assert.equal(after.failed, before.failed, "none of them changes or locks anything");
  });

  await t.test("an export is whole when the replica dies under it", async () => {
    const before = await readings();
    const path = `/v1/contacts/leads/export.csv?organization_id=${organizationId}`;
    const response = await fetch(one.url + path, { headers: { "x-api-key": one.key } });
    assert.equal(response.status, 200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    const atFirst = await readings();
    assert.ok(atFirst.replica! > before.replica!);
    await standby.kill();
    let text = first.value!;
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    const phones = text.match(/\+1212\d{7}/g)!;
    assert.equal(phones.length, CONTACTS);
    assert.equal(new Set(phones).size, CONTACTS);
    const after = await readings();
    assert.ok(after.failed! + after.away! > before.failed! + before.away!, JSON.stringify(after));
    await until("the system says so", async () => /ECONNREFUSED/.test((await problem()) ?? ""));
    assert.ok(await nameOn(one, "Ben 2"));
    await standby.start();
    await until("the replica answers again", async () => (await problem()) === null);
  });
});

test("a replica that is none is refused at the start, and the doctor says how far one is behind", async (t) => {
  const { owner, primary, standby, configOf } = await aDatabase(t);
  const start = (url: string) => startService(configOf({ DATABASE_REPLICA_URL: url, PARLEY_ROLES: "api" }), () => {});
  await assert.rejects(() => start(primary.url), /DATABASE_REPLICA_URL leads to a server that stands in for no other/);
  const doctor = async (url: string) => (await diagnose(configOf({ DATABASE_REPLICA_URL: url }))).lines.join("\n");
  assert.match(await doctor(standby.url), /^ok {3}read replica, \d+ ms behind$/m);
  assert.match(await doctor(primary.url), /^FAIL read replica: DATABASE_REPLICA_URL leads to a server that stands in/m);
  await standby.kill();
  assert.match(await doctor(standby.url), /^FAIL read replica: .*ECONNREFUSED/m);
  const said: string[] = [];
  const service = await startService(
    configOf({ DATABASE_REPLICA_URL: standby.url, PARLEY_ROLES: "api" }),
    (line) => void said.push(line),
  );
  owner.after(() => service.stop());
  assert.equal((await client(service.url!, BOOTSTRAP_KEY).get("/v1/requests")).status, 200);
  assert.match(said.join("\n"), /The read replica is away, and the database answers in its place/);
});
