import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { sealingKeys } from "#app/settings/sealing.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { type client, until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN } from "#test/support/carriers/twilio/stand-in.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { COMMON_ENV } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { root } from "#test/support/source/source.ts";
import { connected, twilio } from "./far-sides.ts";
import { options, type Report, scenario, size } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

const run = promisify(execFile);
/** Texts a second. */
const RATE = 200;
/** More than two batches of a rotation. */
const ACCOUNTS = 450;
const REST_WITHIN_MS = 600_000;

type Sealed = { tenant_id: string; carrier: string; credentials: Record<string, string> };

const sealedIn = (world: World): Promise<Sealed[]> =>
  world.sql<Sealed>("select tenant_id, carrier, credentials from carrier_accounts order by carrier");

/** How many of all fields open with these keys alone. */
function opened(dataDir: string, keys: readonly string[] | undefined, rows: readonly Sealed[]): number {
  const ring = sealingKeys({ dataDir, secretKey: COMMON_ENV.PARLEY_SECRET_KEY!, sealingKeys: keys });
  let count = 0;
  for (const { tenant_id, carrier, credentials } of rows)
    for (const [field, sealed] of Object.entries(credentials)) {
      try {
        const place = { table: "carrier_accounts", tenantId: tenant_id, row: carrier, column: `credentials.${field}` };
        if (ring.open(sealed, place) !== "") count++;
      } catch {
        // Not by these.
      }
    }
  return count;
}

/** Accounts that nothing leaves by, sealed as the one that everything leaves by is: copied, they open no more, so each is made. */
async function fillAccounts(live: ReturnType<typeof client>, count: number): Promise<void> {
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  for (let made = 0; made < count; made += 10) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(10, count - made) }, (_, i) =>
        live.post("/v1/carriers", { name: `Spare ${made + i}`, kind: "twilio", credentials }),
      ),
    );
    for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body));
  }
}

/** Makes accounts, and has the one in use read by its credentials, again and again: whatever is refused is returned. */
function asking(live: ReturnType<typeof client>, over: () => boolean) {
  const refused: string[] = [];
  let asked = 0;
  const done = (async () => {
    const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
    while (!over()) {
      const made = await live.post("/v1/carriers", { name: `During ${asked}`, kind: "twilio", credentials });
      const changed = await live.patch(`/v1/carriers/${made.body.carrier?.carrier_id}`, { name: `After ${asked}` });
      for (const { status, body } of [made, changed]) {
        asked++;
        if (status >= 300) refused.push(`${status} ${JSON.stringify(body)}`);
      }
    }
  })();
  return { done, refused, asked: () => asked };
}

async function rotation(t: TestContext): Promise<Report> {
  const texts = size(options.texts, 1_000, 12_000);
  const rotations = size(options.kills, 2, 5);
  const offsetMs = workingNoon(new Date()).getTime() - Date.now();
  const far = await twilio(t, () => new Date(Date.now() + offsetMs));
  const port = String(await aFreePort());
  const env = {
    PARLEY_LIVE_CLOCK: "moved",
    ...{ PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`, PARLEY_CARRIER_HOSTS: JSON.stringify(far.hosts) },
  };
  const world = await startWorld(t, { workers: 2, env });
  const { url } = await world.startApi({ PORT: port });
  const live = await connected(world, far, offsetMs, url!);
  await fillAccounts(live, ACCOUNTS);
  const contacts = Array.from({ length: texts }, (_, i) => ({ phone_number: `+1212${4_000_000 + i}` }));
  await aCampaign(live, {
    ...{ contacts, agent: { starting_message: "Hi, this is Ava.", drip_schedule: [] } },
    campaign: { svc_sms_number: far.sender },
  });
  await world.sql("update lanes set per_second = $1 where carrier <> 'simulator'", [RATE]);
  let over = false;
  const asked = asking(live, () => over);
  await until("texts leave", async () => far.got().length >= texts / 10, REST_WITHIN_MS);

  const began = performance.now();
  const cli = { cwd: root, env: processEnv({ ...COMMON_ENV, ...env, DATABASE_URL: world.databaseUrl }) };
  const said: string[] = [];
  let during = 0;
  for (let i = 0; i < rotations; i++) {
    const before = far.got().length;
    const { stdout } = await run(process.execPath, ["bin/parley.ts", "secret", "rotate"], {
      ...cli,
      env: { ...cli.env, PARLEY_DATA_DIR: world.dataDir },
    });
    during += far.got().length - before;
    said.push(stdout.split("\n")[0]!);
  }
  const tookMs = Math.round(performance.now() - began);
  over = true;
  await asked.done;
  await until(
    "all have left",
    async () => {
      const [open] = await world.sql<{ n: number }>(
        "select count(*)::int as n from messages where kind = 'start' and state in ('scheduled', 'held', 'sending')",
      );
      const [doubt] = await world.sql<{ n: number }>(
        "select count(*)::int as n from attempts where state in ('in_flight', 'uncertain')",
      );
      return open!.n + doubt!.n === 0;
    },
    REST_WITHIN_MS,
  );
  await assertLedger(await openClient(world.t, world.databaseUrl));

  const rows = await sealedIn(world);
  const keys = readFileSync(join(world.dataDir, "sealing-keys"), "utf8").trim().split("\n");
  assert.equal(keys.length, rotations);
  const fields = rows.length * 2;
  const byNew = opened(world.dataDir, keys.slice(-1), rows);
  const byOld = opened(world.dataDir, keys.slice(0, -1), rows) + opened(world.dataDir, [], rows);
  const states = await world.sql<{ state: string; n: number }>(
    "select state, count(*)::int as n from messages where kind = 'start' and direction = 'outbound' group by state",
  );
  const phones = new Set(far.got().map(({ to }) => to)).size;
  const failed = states.filter(({ state }) => !["accepted", "sent", "delivered"].includes(state));
  assert.deepEqual(failed, [], "no text was refused");
  assert.deepEqual([phones, far.got().length], [texts, texts], "each has left once");
  assert.deepEqual(asked.refused, [], "no request was refused");
  assert.deepEqual([byNew, byOld], [fields, 0]);
  const [account] = await world.sql<{ status: string }>("select status from carrier_accounts where status <> 'new'");
  assert.equal(account?.status, "connected");
  return {
    tried: { texts, rotations, accounts: rows.length, requests: asked.asked() },
    found: { refusedTexts: 0, refusedRequests: 0, fields, byNew, byOld, during, tookMs },
    says:
      `${rotations} rotations in ${tookMs} ms while ${during} of ${texts} texts left at ${RATE} a second and ${asked.asked()} requests were answered: ` +
      `0 texts and 0 requests refused; of ${fields} sealed fields the new key opens ${byNew}, all former keys ${byOld}. ${said.join(" ")}`,
  };
}

test("the key of all secrets changes while texts leave", async (t) => {
  await scenario(t, "ROTATION", "nothing is refused, and former keys open nothing afterwards", rotation);
});
