import assert from "node:assert/strict";
import { test } from "node:test";
import { type Described, readOperations, urlOf } from "#test/support/api/openapi.ts";
import { aWorld, type Sent } from "#test/support/api/world.ts";
import { type ApiProcess, startApiProcess } from "#test/support/processes/api-process.ts";

const MB = 1024 * 1024;

/** The field that each operation for many leads has them in. */
const LEADS: Readonly<Record<string, string>> = {
  createContactList: "contacts",
  createCampaign: "contacts",
  preflightNewCampaign: "contacts",
  addCampaignLeads: "clients",
  createVoiceCampaign: "leads",
  preflightNewVoiceCampaign: "leads",
  addVoiceCampaignLeads: "leads",
};

const filled = (item: string, bytes: number) =>
  `${`${item},`.repeat(Math.floor(bytes / (item.length + 1)) - 1)}${item}`;

/** Leads whose every field has a name that comes once: they are few, and took the thread for a minute. */
const strangers = (bytes: number) =>
  Array.from({ length: Math.floor(bytes / 160) }, (_, n) => {
    const fields = Array.from({ length: 15 }, (_, i) => `"${(n * 15 + i).toString(36)}":1`);
    return `{${fields.join(",")}}`;
  }).join(",");

/** What would be some gigabytes once it is parsed, by how a body of so many bytes is filled with it. */
const TINY: Readonly<Record<string, (bytes: number) => string>> = {
  "empty objects": (bytes) => filled("{}", bytes),
  "empty arrays": (bytes) => filled("[]", bytes),
  numbers: (bytes) => filled("1", bytes),
  "names that come once": strangers,
  "objects with a name like a place in an array": (bytes) => filled('{"99999":1}', bytes),
};

/** A valid request whose leads are these items, written out. */
function withLeads(operation: Described, sent: Sent, items: string): string {
  const rest = Object.entries(sent.body as object).filter(([name]) => name !== LEADS[operation.id]);
  return `{"${LEADS[operation.id]}":[${items}]${rest.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`).join("")}}`;
}

function assertLives({ child, complaints }: ApiProcess): void {
  assert.deepEqual([child.exitCode, child.signalCode, complaints], [null, null, []]);
}

test("bodies that are small as text and huge in memory", async (t) => {
  const api = await startApiProcess(t);
  const world = await aWorld(api);
  const bulk = (await readOperations(api)).filter((operation) => operation.id in LEADS);
  assert.equal(bulk.length, Object.keys(LEADS).length);
  let slowestMs = 0;
  const send = async (operation: Described, body: string, sent: Sent) => {
    const started = performance.now();
    const answer = await api.request(operation.method, urlOf(operation.path, sent.params, sent.query), body);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    return answer;
  };

  for (const [what, fill] of Object.entries(TINY)) {
    await t.test(`B016: 64 MB of ${what} for leads are a 413, and the api lives`, async () => {
      const operation = bulk.find(({ id }) => id === "createContactList")!;
      const sent = await world.valid(operation);
      const { status, body } = await send(operation, withLeads(operation, sent, fill(64 * MB - 1_000)), sent);
      assert.deepEqual([status, body.code], [413, "payload_too_large"], body.error);
      assertLives(api);
    });
  }

  await t.test("B016: millions of empty leads are a 413 to every operation that takes leads", async () => {
    for (const operation of bulk) {
      const sent = await world.valid(operation);
      const { status, body } = await send(operation, withLeads(operation, sent, filled("{}", 24 * MB)), sent);
      assert.deepEqual([status, body.code], [413, "payload_too_large"], `${operation.id}: ${body.error}`);
    }
    assertLives(api);
  });

  await t.test("B016: 100,001 of them are a 413 as well, by the number of leads", async () => {
    for (const operation of bulk) {
      const sent = await world.valid(operation);
      const { status, body } = await send(operation, withLeads(operation, sent, filled("{}", 3 * 100_001)), sent);
      assert.deepEqual([status, body.code], [413, "payload_too_large"], operation.id);
      assert.match(body.error, /has 100001 (leads|items); 100000 is the most/, operation.id);
    }
    assertLives(api);
  });

  t.diagnostic(`slowest ${Math.round(slowestMs)} ms`);
});
