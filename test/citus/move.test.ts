import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { parseId } from "#domain/values/id.ts";
import { moveTenant } from "#store/distribution/move.ts";
import { statusOf } from "#store/distribution/status.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";

const CONTACTS = 300;

test("a tenant that sends is moved: it can be read all the time, what it writes waits, and nothing is sent twice or lost", async (t) => {
  const parley = await startParley(t, { PARLEY_SIMULATOR_RATE: "20" });
  await aNoon(parley);
  const contacts = Array.from({ length: CONTACTS }, (_, i) => ({ phone_number: `+1212444${1000 + i}` }));
  const { campaignId } = await aCampaign(parley, { contacts, agent: { starting_message: "Hi there" } });
  const traffic = async () => (await parley.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;
  await until("it sends", async () => (await traffic()).accepted >= 10);

  const [reads, writes]: [number[], number[]] = [[], []];
  const wrong: string[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let n = 0; !isOver; n++) {
      const began = performance.now();
      // By turns a read and a write.
      const { status, body } =
        n % 2 === 0
          ? await parley.get(`/v1/campaigns/${campaignId}`)
          : await parley.post("/v1/organizations", { name: `Meanwhile ${n}` });
      (n % 2 === 0 ? reads : writes).push(performance.now() - began);
      // What it writes may be refused for the moment: it waits for as long as its rows are copied.
      if (status >= 400 && !(n % 2 === 1 && status === 503)) wrong.push(`${status} ${JSON.stringify(body)}`);
      await pause(20);
    }
  })();
  const accountId = parseId("tenant", (await parley.get("/v1/me")).body.tenant_id)!;
  const before = (await statusOf(parley.databaseUrl))!;
  const steps: string[] = [];
  const clockMs = () => performance.now();
  const move = (to?: string) =>
    moveTenant(parley.databaseUrl, { accountId, to }, (line) => void steps.push(line), clockMs);
  const moved = await move();
  assert.ok(moved.length > 0, "something was moved");
  isOver = true;
  await asking;
  assert.deepEqual(wrong, []);
  await until("the campaign completes", async () => {
    const { body } = await parley.get(`/v1/campaigns/${campaignId}`);
    return body.campaign.status === "completed";
  });
  const sent = await traffic();
  assert.deepEqual([sent.accepted, sent.distinct, sent.duplicates], [CONTACTS, CONTACTS, 0]);
  const after = (await statusOf(parley.databaseUrl))!;
  assert.deepEqual(after.open, [], "row security is forced on the shards that were made");
  t.diagnostic(
    `${steps.join("; ")}; ${moved.map(({ ms }) => `${Math.round(ms)} ms`).join(", ")}; ` +
      `the longest of ${reads.length} reads ${Math.round(Math.max(...reads))} ms, of ${writes.length} writes ${Math.round(Math.max(...writes))} ms; shards ${before.servers.map(({ shards }) => shards)} before, ${after.servers.map(({ shards }) => shards)} after`,
  );
});
