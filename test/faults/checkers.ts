import assert from "node:assert/strict";
import { assertCounts } from "../support/ledger.ts";
import type { World } from "./world.ts";

/** What the books say after a run. All but the first three have to be 0; `unknown` only where no carrier can tell. */
export type Findings = {
  /** Texts that the carrier took. */
  taken: number;
  /** Recipients, of every campaign. */
  recipients: number;
  unknown: number;
  duplicates: number;
  /** Recipients that nothing was sent to, though nothing says why. */
  lost: number;
  afterOptOut: number;
  outsideWindow: number;
  /** Texts in the carrier's book that the ledger does not have as accepted, and the other way round. */
  unaccounted: number;
  neverTaken: number;
  openAttempts: number;
  /** Steps that no message, recipient or attempt may take. */
  illegalSteps: number;
  /** Things that were answered with 2xx and are not there. */
  acknowledgedButMissing: number;
  /** A carrier's text that is in its conversation more than once, or answered more than once. */
  takenInTwice: number;
  answeredTwice: number;
  /** Texts and rows that are with another tenant than their own. */
  foreign: number;
  /** Campaigns whose recipients by state are not as many as it has. */
  wrongTotals: number;
  /** Jobs that a dead process holds. */
  heldJobs: number;
};

/** In every text of the other tenant's campaigns, and in no other. */
export const CANARY = "TB-7f3c";

const one = (name: keyof Findings, query: string): string => `(${query})::int as "${name}"`;

const BOOKS = [
  one("taken", "select count(*) from simulator_texts where direction = 'to_handset'"),
  one("recipients", "select count(*) from threads"),
  one("unknown", "select count(*) from messages where state = 'unknown'"),
  one(
    "duplicates",
    `select coalesce(sum(n - 1), 0) from (
       select count(*) as n from simulator_texts text join attempts on attempts.tenant_id = text.tenant_id and attempts.ref = text.ref
       where text.direction = 'to_handset' group by attempts.tenant_id, attempts.message_id) as by_message`,
  ),
  one(
    "lost",
    `select count(*) from threads where state in ('scheduled', 'sending', 'sent', 'delivered', 'replied', 'completed', 'failed')
       and not exists (
         select from simulator_texts text join attempts on attempts.tenant_id = text.tenant_id and attempts.ref = text.ref
         join messages on messages.tenant_id = attempts.tenant_id and messages.campaign_id = attempts.campaign_id and messages.id = attempts.message_id
         where text.tenant_id = threads.tenant_id and text.handset = threads.phone and messages.thread_id = threads.id and messages.step = 0)`,
  ),
  one(
    "unaccounted",
    `select count(*) from simulator_texts text
     left join attempts on attempts.tenant_id = text.tenant_id and attempts.ref = text.ref
     where text.direction = 'to_handset' and (attempts.ref is null or attempts.state not in ('accepted', 'held'))`,
  ),
  one(
    "neverTaken",
    `select count(*) from attempts left join simulator_texts text on text.tenant_id = attempts.tenant_id and text.ref = attempts.ref
     where attempts.state = 'accepted' and text.ref is null`,
  ),
  one("openAttempts", "select count(*) from attempts where state in ('in_flight', 'uncertain')"),
  one("illegalSteps", "select count(*) from faults.steps"),
  one(
    "takenInTwice",
    `select coalesce(sum(n - 1), 0) from (
       select count(*) as n from messages where direction = 'inbound' group by tenant_id, carrier_id) as by_text`,
  ),
  one(
    "answeredTwice",
    `select count(*) from (
       select threads.id from threads join messages on messages.tenant_id = threads.tenant_id
         and messages.campaign_id = threads.campaign_id and messages.thread_id = threads.id
       group by threads.id
       having count(*) filter (where messages.kind = 'reply') > count(*) filter (where messages.direction = 'inbound')) as talkative`,
  ),
  one(
    "foreign",
    `select (select count(*) from simulator_texts text join tenants on tenants.id = text.tenant_id
         where text.direction = 'to_handset' and (text.text like '%${CANARY}%') <> (tenants.name = 'Another')
           and text.purpose = 'start')
       + (select count(*) from simulator_texts text join attempts using (ref) where text.tenant_id <> attempts.tenant_id)
       + (select count(*) from messages join lanes on lanes.id = messages.lane_id where lanes.tenant_id <> messages.tenant_id)
       + (select count(*) from threads join campaigns on campaigns.id = threads.campaign_id where campaigns.tenant_id <> threads.tenant_id)`,
  ),
  one(
    "wrongTotals",
    `select count(*) from campaigns where total <> (
       select count(*) from threads where threads.tenant_id = campaigns.tenant_id and threads.campaign_id = campaigns.id)`,
  ),
  one(
    "heldJobs",
    `select count(*) from graphile_worker._private_jobs where locked_by is not null
       and locked_by not in (select unnest(queue_workers) from nodes where lost_at is null)`,
  ),
];

/** Reads the books of the carrier and of the service, and what was acknowledged. Fails for nothing. */
export async function findings(world: World): Promise<Findings> {
  const [books] = await world.sql<Findings>(`select ${BOOKS.join(",\n")}`);
  const traffic = await Promise.all(
    [world.api, world.other].map(async (api) => (await api.get("/v1/simulator/traffic")).body),
  );
  return {
    ...books!,
    // By the carrier alone too: by campaign and step, whatever the ledger says.
    duplicates: Math.max(
      books!.duplicates,
      traffic.reduce((sum, it) => sum + it.duplicates, 0),
    ),
    afterOptOut: traffic.reduce((sum, it) => sum + it.after_opt_out, 0),
    outsideWindow: traffic.reduce((sum, it) => sum + it.outside_window, 0),
    acknowledgedButMissing: await missing(world),
  };
}

async function missing({ sql, acknowledged }: World): Promise<number> {
  const [texts] = await sql<{ n: number }>(
    `select count(*)::int as n from unnest($1::text[]) as id where not exists (
       select from inbound_texts where carrier_id = id)`,
    [[...acknowledged.texts.keys()]],
  );
  const phones = [...acknowledged.campaigns].flatMap(([id, theirs]) => theirs.map((phone) => ({ id, phone })));
  const [recipients] = await sql<{ n: number }>(
    `select count(*)::int as n from unnest($1::text[], $2::text[]) as it (id, phone) where not exists (
       select from campaigns join threads on threads.tenant_id = campaigns.tenant_id and threads.campaign_id = campaigns.id
         and threads.phone = it.phone
       where campaigns.campaign_id = it.id)`,
    [phones.map(({ id }) => id), phones.map(({ phone }) => phone)],
  );
  return texts!.n + recipients!.n;
}

/** Fails unless every promise was kept; `unknown` is how many texts may have been left to an operator. */
export async function assertPromises(world: World, { unknown = 0 } = {}): Promise<Findings> {
  const found = await findings(world);
  // Where nothing is seen nothing is broken: this session must be one that row security lets see.
  assert.ok(found.recipients > 0, "the books are empty");
  const { taken: _taken, recipients: _recipients, unknown: unknownFound, ...violations } = found;
  const broken = Object.entries(violations).filter(([, n]) => n !== 0);
  if (broken.length > 0) {
    world.t.diagnostic(JSON.stringify(await world.sql("select * from faults.steps limit 10")));
    for (const worker of world.workers) world.t.diagnostic(worker.said.join("").slice(-1_500));
  }
  assert.deepEqual(Object.fromEntries(broken), {}, "promises were broken");
  assert.ok(unknownFound <= unknown, `${unknownFound} texts are unknown, at most ${unknown} may be`);
  await assertCounts({ query: async (text: string) => ({ rows: await world.sql(text) }) });
  return found;
}
