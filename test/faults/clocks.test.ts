import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "#app/embedded-postgres/server.ts";
import { createDatabase } from "../support/database.ts";
import { until } from "../support/parley.ts";
import { startProcess } from "../support/processes.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon } from "./load.ts";
import { scenario, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

/** Debian's; the wrapper that comes with it would be the process that we kill, and not the worker. */
const [FAKETIME] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
const PGBOUNCER = "/usr/sbin/pgbouncer";

test("clocks that are wrong, and clocks that jump by law", async (t) => {
  if (!wants("F19", "F20")) return;
  const world = await startWorld(t, { workers: 0 });
  const taken = async () =>
    (
      await world.sql<{ n: number }>("select count(*)::int as n from simulator_texts where direction = 'to_handset'")
    )[0]!.n;

  await scenario(t, "F19", "a worker's clock two hours ahead of the database's, and two hours behind", async () => {
    if (!FAKETIME) return { skip: "faketime is not installed" };
    // Two hours from a noon are within calling hours, either way: nothing but the wrong clock holds the texts.
    await noon(world);
    const { campaignId } = await aRun(world, { phones: newPhones(world, 40), agent: { drip_schedule: [] } });
    const alarms: string[] = [];
    for (const offset of ["+2h", "-2h"]) {
      const before = await taken();
      const worker = await world.startWorker({
        LD_PRELOAD: FAKETIME,
        FAKETIME: offset,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      });
      await until("it says what is wrong", async () => /clock is wrong/.test(worker.said.join("")));
      await pause(1_500);
      assert.equal((await taken()) - before, 0, `nothing is sent by a clock that is ${offset} off`);
      alarms.push(/"skewMs":(-?\d+)/.exec(worker.said.join(""))?.[1] ?? "");
      world.workers.splice(world.workers.indexOf(worker), 1);
      await worker.kill();
    }
    await world.startWorker();
    await until("a worker with a right clock has dealt with them", async () => {
      const { body } = await world.api.get(`/v1/campaigns/${campaignId}`);
      return body.campaign.counts.scheduled + body.campaign.counts.sending === 0;
    });
    await drained(world);
    return {
      tried: { offsets: ["+2h", "-2h"], texts: 40 },
      found: { ...(await assertPromises(world)), skewMs: alarms },
      says: "a worker two hours off, either way, said so and sent nothing; one with a right clock went on.",
    };
  });

  await scenario(t, "F20", "the clocks change while texts wait for the morning", async () => {
    if (world.workers.length === 0) await world.startWorker();
    // The nights before both changes: held over the Sunday in the zones that change, and in those that do not.
    const zones = ["212", "312", "602", "808", "317", "787", "305", "415"];
    let n = 0;
    const phones = () => zones.flatMap((zone) => Array.from({ length: 10 }, () => `+1${zone}667${1_000 + n++}`));
    const runs: string[] = [];
    for (const [evening, change] of [
      ["2027-03-14T03:30:00Z", "2027-03-14"],
      ["2027-11-07T03:30:00Z", "2027-11-07"],
    ] as const) {
      await world.api.post("/v1/simulator/clock", { to: evening });
      const { campaignId } = await aRun(world, { phones: phones(), agent: { drip_schedule: [] }, name: change });
      runs.push(campaignId);
      // Half an hour at a time, through the night, the Sunday, and Monday morning.
      for (let half = 0; half < 90; half++) {
        await world.api.post("/v1/simulator/clock", { advance_ms: 1_800_000 });
        await drained(world);
      }
    }
    const found = await assertPromises(world);
    for (const campaignId of runs) {
      const { body } = await world.api.get(`/v1/campaigns/${campaignId}`);
      assert.equal(body.campaign.counts.delivered, zones.length * 10, JSON.stringify(body.campaign.counts));
    }
    return {
      tried: { texts: zones.length * 20, zones: zones.length, changes: 2 },
      found,
      says: `${zones.length * 20} texts waited over both nights on which the clocks change, in ${zones.length} places: each was sent once, none in a forbidden hour by the carrier's own reckoning.`,
    };
  });
});

test("a pooler that shares sessions", async (t) => {
  await scenario(t, "F18", "PgBouncer in transaction mode before the database", async (t) => {
    if (!existsSync(PGBOUNCER)) return { skip: "pgbouncer is not installed" };
    const { url, drop } = await createDatabase();
    t.after(drop);
    const folder = mkdtempSync(join(tmpdir(), "parley-pooler-"));
    const target = new URL(url);
    const port = await freePort(0);
    writeFileSync(
      join(folder, "pgbouncer.ini"),
      `[databases]
${target.pathname.slice(1)} = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
unix_socket_dir =
ignore_startup_parameters = options,extra_float_digits
`,
      { mode: 0o644 },
    );
    const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(folder, 0o755);
    const pooler = spawn(PGBOUNCER, [join(folder, "pgbouncer.ini")], { ...asUser, stdio: "ignore" });
    t.after(async () => {
      const gone = once(pooler, "exit");
      pooler.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    });
    const pooled = new URL(url);
    pooled.hostname = "127.0.0.1";
    pooled.port = String(port);
    await pause(500);
    const worker = await startProcess(t, "worker", { DATABASE_URL: pooled.href, PARLEY_DATA_DIR: folder });
    await until("it ends", async () => worker.ended() !== undefined);
    const said = worker.said.join("");
    assert.match(said, /pooler that shares sessions/);
    assert.equal(worker.ended(), "1");
    return {
      tried: { poolMode: "transaction" },
      found: { exit: worker.ended() },
      says: `refused to start: "${said.trim().split("\n").at(-1)}"`,
    };
  });
});
