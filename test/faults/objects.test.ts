import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { publicId } from "#domain/values/id.ts";
import { until } from "#test/support/api/parley.ts";
import { type S3Server, s3Env, startS3 } from "#test/support/objects/s3-server.ts";
import { beforeStore, thirdOfTheTime, type UnreliableStore } from "#test/support/objects/unreliable-store.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { callsOf, callThem, idleSpeechToText, phonesTake, withSound } from "./live-calls.ts";
import { newPhones, seeded } from "./load.ts";
import { options, scenario, size, wants } from "./scenario.ts";
import { startWorld, type Worker, type World } from "./world.ts";

/** How long each phone stays on the line: a recording has 16 kB a second. */
const TALKS_MS = 1_500;
/** Calls at once in each process of sound: this is about what becomes of them, not about their number. */
const AT_ONCE = "20";
const CALLED_WITHIN_MS = 600_000;
/** What a process has left is looked for each minute, once it is half a minute old. */
const HANDED_OVER_WITHIN_MS = 240_000;
/** A removal that failed is tried again by the sweep after a minute, and then at each. */
const REMOVED_WITHIN_MS = 300_000;

type Nodes = {
  world: World;
  server: S3Server;
  proxy: UnreliableStore;
  media: Worker;
  disk: string;
  startMedia(): Promise<Worker>;
};

/** Names of all objects on a node's disk. */
function filesIn(folder: string): string[] {
  try {
    const files = readdirSync(join(folder, "recordings"), { recursive: true, withFileTypes: true });
    return files.filter((file) => file.isFile()).map((file) => file.name);
  } catch {
    return [];
  }
}

/** An api with a worker, and a media node with another disk. What they share is the database, and a store that fails. */
async function nodes(t: TestContext): Promise<Nodes> {
  const server = await startS3(t);
  const proxy = await beforeStore(t, server.url);
  const env = { ...withSound(await idleSpeechToText(t)), ...s3Env(server, proxy.url), PARLEY_MEDIA_CALLS: AT_ONCE };
  const world = await startWorld(t, { workers: 1, env });
  const disk = aFolder("media");
  const startMedia = () => world.startMedia({ PARLEY_DATA_DIR: disk });
  return { world, server, proxy, media: await startMedia(), disk, startMedia };
}

type Recorded = { id: string; phone: string; recording: string };

/** Has so many phones called, and their calls recorded. */
async function recordCalls(world: World, count: number): Promise<Recorded[]> {
  const phones = newPhones(world, count);
  await phonesTake(world, phones, TALKS_MS);
  const campaignId = await callThem(world, phones);
  return until(
    `${count} calls are over`,
    async () => {
      const calls = await callsOf(world, campaignId);
      if (calls.filter(({ status }) => status === "ended").length < count) return false;
      const rows = await world.sql<Recorded>(
        `select call.id, call.phone, detail.recording from calls call
         join call_details detail on detail.tenant_id = call.tenant_id and detail.call_id = call.id
         join campaigns campaign on campaign.tenant_id = call.tenant_id and campaign.id = call.campaign_id
         where campaign.campaign_id = $1 and call.status = 'ended' and detail.recording is not null`,
        [campaignId],
      );
      return rows.length >= count && rows;
    },
    CALLED_WITHIN_MS,
  );
}

/** How many of them the API, whose disk never had them, serves as long as their records say. */
async function served(world: World, them: readonly Recorded[]): Promise<number> {
  let whole = 0;
  for (const { id } of them) {
    const [row] = await world.sql<{ bytes: number }>(
      "select recording_bytes::int as bytes from call_details where call_id = $1",
      [id],
    );
    const response = await fetch(`${world.api.url}/v1/voice/calls/${publicId("call", id)}/recording`, {
      headers: { "x-api-key": world.api.key },
    });
    const { byteLength } = await response.arrayBuffer();
    if (response.status === 200 && byteLength === row!.bytes) whole++;
  }
  return whole;
}

async function erase(world: World, them: readonly Recorded[]): Promise<void> {
  const rows = await world.sql<{ contact_id: string }>(
    "select distinct contact_id from calls where id = any($1::uuid[]) and contact_id is not null",
    [them.map(({ id }) => id)],
  );
  for (const { contact_id } of rows) {
    const { status } = await world.api.delete(`/v1/contacts/leads/${publicId("contact", contact_id)}`);
    assert.equal(status, 200);
  }
}

const keysOf = (them: readonly Recorded[]): string[] => them.map(({ recording }) => `recordings/${recording}`).sort();

test("recordings on their way to a store that fails", async (t) => {
  const count = size(options.texts, 6, 200);
  if (!wants("OBJECTS", "OBJECTS-kill")) return;
  const { world, server, proxy, disk, startMedia, ...started } = await nodes(t);
  let { media } = started;
  const random = seeded(options.seed);
  const aThird = thirdOfTheTime(random, ["refused", "half", "unanswered", "error"]);

  await scenario(
    t,
    "OBJECTS",
    "the store fails a third of the time, calls are recorded and persons erased",
    async () => {
      proxy.set(aThird);
      const began = Date.now();
      const them = await recordCalls(world, count);
      await until("the disk is empty", async () => filesIn(disk).length === 0, HANDED_OVER_WITHIN_MS);
      const uploadedMs = Date.now() - began;
      const failed = proxy.counts();
      assert.deepEqual(server.keys(), keysOf(them));
      proxy.set(() => undefined);
      const whole = await served(world, them);
      assert.equal(whole, them.length);

      proxy.set(aThird);
      const [erased, kept] = [them.slice(0, count >> 1), them.slice(count >> 1)];
      await erase(world, erased);
      await until("half of them are gone", async () => server.keys().length === kept.length, REMOVED_WITHIN_MS);
      assert.deepEqual(server.keys(), keysOf(kept));
      await erase(world, kept);
      await until("all of them are gone", async () => server.keys().length === 0, REMOVED_WITHIN_MS);
      assert.deepEqual(filesIn(disk), []);
      assert.equal(media.ended(), undefined);
      const faults = Object.values(failed.faults).reduce((sum, n) => sum + n, 0);
      return {
        tried: { calls: count, failing: "a third of requests" },
        found: {
          recorded: them.length,
          served: whole,
          lost: them.length - whole,
          left: server.keys().length,
          uploadedMs,
          ...failed,
        },
        says:
          `${them.length} recordings went to a store that failed ${faults} of ${failed.requests} requests: ${them.length - whole} lost; ` +
          `after their persons were erased ${server.keys().length} were left behind.`,
      };
    },
  );

  await scenario(t, "OBJECTS-kill", "kill -9 of a media node between an upload and its confirmation", async () => {
    const few = Math.min(count, 20);
    const before = server.keys();
    // Nothing of it reaches the store before all calls are over.
    proxy.set(() => "denied");
    const them = await recordCalls(world, few);
    assert.deepEqual([filesIn(disk).length, server.keys()], [few, before]);
    proxy.set(({ method }) => (method === "PUT" ? "unanswered" : undefined));
    await until("the store has some", async () => server.keys().length > before.length, HANDED_OVER_WITHIN_MS);
    await media.kill();
    const [stored, onDisk] = [server.keys().length - before.length, filesIn(disk).length];
    assert.equal(onDisk, few);
    proxy.set(() => undefined);
    media = await startMedia();
    await until("the disk is empty", async () => filesIn(disk).length === 0, HANDED_OVER_WITHIN_MS);
    assert.deepEqual(server.keys(), [...before, ...keysOf(them)].sort());
    const whole = await served(world, them);
    assert.equal(whole, few);
    return {
      tried: { calls: few, storedUnconfirmed: stored },
      found: { served: whole, lost: few - whole },
      says: `a media node died when the store had ${stored} of ${few} recordings and had confirmed none: started again it handed over all, ${few - whole} lost.`,
    };
  });
});
