import assert from "node:assert/strict";
import { keywordOf } from "#domain/compliance/keyword.ts";
import { MESSAGE_RANK, RECIPIENT_RANK } from "#domain/messaging/message.ts";
import { until } from "#test/support/api/parley.ts";
import { AT_REST } from "#test/support/time/at-rest.ts";
import type { World } from "./world.ts";

/** What the records say after a run. All but the first four have to be 0; `unknown` only where no carrier can know. */
export type Findings = {
  /** Texts that the carrier took. */
  taken: number;
  /** Recipients, of every campaign. */
  recipients: number;
  unknown: number;
  /** Conversations whose last text the agent has dealt with, and said nothing. */
  silences: number;
  duplicates: number;
  /** Recipients that nothing was sent to, though the run gave no cause: no STOP, no pause, no delete. */
  lost: number;
  /** Messages that ended unsent, and recipients that ended unreached, with a cause that the run has not given. */
  causeless: number;
  /** Phones that said STOP and are not opted out wherever they are a recipient, and the other way round. */
  wrongOptOuts: number;
  afterOptOut: number;
  outsideWindow: number;
  /** Texts in the carrier's records that the ledger does not have as accepted, and the other way round. */
  unaccounted: number;
  neverTaken: number;
  /** Messages and recipients below what a receipt has said, whose arrival the carrier got acknowledged. */
  belowReceipt: number;
  /** What the tables may not say at rest, each with its words in `problems`. */
  unrest: number;
  /** Steps that no message, recipient or attempt may take, and what a carrier took for somebody who is opted out. */
  illegalSteps: number;
  /** Things that were answered with 2xx and are not there. */
  acknowledgedButMissing: number;
  /** A carrier's text that is in its conversation more than once. */
  takenInTwice: number;
  /** Conversations whose last text awaits an answer that nothing will bring, and answers with no text before them. */
  unanswered: number;
  answeredTwice: number;
  /** Texts and rows that are with another tenant than their own. */
  foreign: number;
  /** Campaigns whose recipients by state are not as many as it has. */
  wrongTotals: number;
  /** Jobs that a dead process holds, or nobody. */
  heldJobs: number;
};

/** In every text of the other tenant's campaigns, in what its contacts say, and in no other. */
export const CANARY = "TB-7f3c";

/** Jobs that nobody works on and nobody may take: their worker is dead, or, as after a failover, none is named (graphile-worker #449). */
export const HELD_JOBS = `select count(*) from graphile_worker._private_jobs where locked_at is not null
  and (locked_by is null or locked_by not in (select unnest(queue_workers) from nodes where lost_at is null))`;

/** Those that are so for longer than it takes a queue that starts anew to note its names (operations/sending/sweep.ts). */
const STAY_HELD = `${HELD_JOBS} and locked_at < clock_timestamp() - interval '10 seconds'`;

const HELD = `select jobs.locked_at, jobs.locked_by, jobs.attempts, jobs.last_error, tasks.identifier, clock_timestamp() as now,
    (select json_agg(nodes) from nodes) as nodes from graphile_worker._private_jobs as jobs
  join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id where jobs.locked_at is not null`;

/** What a text of a contact is to be answered for by the agent: no keyword, and in a conversation. */
const TALK = `messages.direction = 'inbound' and exists (select from inbound_texts it
  where it.tenant_id = messages.tenant_id and it.carrier_id = messages.carrier_id and it.outcome = 'conversation')`;

/**
 * Conversations that the agent holds, with the step of the contact's last talk and of its own last answer. Who writes just before its starting
 * message leaves has that one for an answer (conversation/messaging/turn.ts: nothing to answer).
 */
const TALKS = `select threads.tenant_id, threads.campaign_id, threads.id, threads.answered_step, max(messages.step) filter (where ${TALK}) as asked,
    max(messages.step) filter (where messages.kind = 'reply') as answered
  from threads join campaigns on campaigns.tenant_id = threads.tenant_id and campaigns.id = threads.campaign_id and campaigns.status <> 'deleted'
  join messages on messages.tenant_id = threads.tenant_id and messages.campaign_id = threads.campaign_id and messages.thread_id = threads.id
  where threads.agent_awake and not threads.do_not_message and threads.state <> 'opted_out' and threads.last_inbound_step is not null
  group by threads.tenant_id, threads.campaign_id, threads.id
  having max(messages.created_at) filter (where ${TALK}) > coalesce(max(messages.sent_at) filter (where messages.kind in ('start', 'drip')), '-infinity')`;

const SILENT = `select messages.campaign_id, messages.thread_id, messages.kind, messages.step, messages.state, messages.text, messages.created_at, messages.sent_at
  from (${TALKS}) as talk join messages on messages.tenant_id = talk.tenant_id and messages.campaign_id = talk.campaign_id
    and messages.thread_id = talk.id
  where asked > coalesce(answered, -1) and answered_step >= asked order by talk.id, coalesce(messages.sent_at, messages.created_at)`;

const carries = (text: string): string => `coalesce(${text}, '') like '%${CANARY}%'`;

const one = (name: keyof Findings, query: string): string => `(${query})::int as "${name}"`;

const RECORDS = [
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
    "unaccounted",
    `select count(*) from simulator_texts text
     left join attempts on attempts.tenant_id = text.tenant_id and attempts.ref = text.ref
     where text.direction = 'to_handset' and (attempts.ref is null or attempts.state not in ('accepted', 'held'))`,
  ),
  one(
    "neverTaken",
    `select count(*) from attempts left join simulator_texts text on text.tenant_id = attempts.tenant_id and text.ref = attempts.ref
     where attempts.channel = 'sms' and attempts.state = 'accepted' and text.ref is null`,
  ),
  // Simulated phones outside the ranges with scripts get every text: what the carrier owes no more, it has reported.
  one(
    "belowReceipt",
    `select count(*) from simulator_texts text
     join attempts on attempts.tenant_id = text.tenant_id and attempts.ref = text.ref
     join messages on messages.tenant_id = attempts.tenant_id and messages.campaign_id = attempts.campaign_id and messages.id = attempts.message_id
     left join threads on threads.tenant_id = messages.tenant_id and threads.campaign_id = messages.campaign_id
       and threads.id = messages.thread_id and messages.step = 0
     where text.direction = 'to_handset' and text.owed is null
       and (('${JSON.stringify(MESSAGE_RANK)}'::jsonb ->> messages.state)::int < ${MESSAGE_RANK.delivered}
         or ('${JSON.stringify(RECIPIENT_RANK)}'::jsonb ->> threads.state)::int < ${RECIPIENT_RANK.delivered})`,
  ),
  one("illegalSteps", "select count(*) from faults.steps"),
  one(
    "takenInTwice",
    `select coalesce(sum(n - 1), 0) from (
       select count(*) as n from messages where direction = 'inbound' group by tenant_id, carrier_id) as by_text`,
  ),
  one(
    "silences",
    `select count(*) from (${TALKS}) as talk where asked > coalesce(answered, -1) and answered_step >= asked`,
  ),
  one(
    "unanswered",
    `select count(*) from (${TALKS}) as talk where asked > coalesce(answered, -1) and coalesce(answered_step, -1) < asked`,
  ),
  // Whatever a contact has said since the last answer gets one answer: two in a row are one too many, also after a STOP.
  one(
    "answeredTwice",
    `select count(*) from (
       select kind, lag(kind, 1, 'reply') over (partition by tenant_id, campaign_id, thread_id order by step) as before
       from messages where thread_id is not null and (kind = 'reply' or ${TALK})) as turn where kind = 'reply' and before = 'reply'`,
  ),
  one(
    "foreign",
    `select (select count(*) from simulator_texts text join tenants on tenants.id = text.tenant_id
         where ${carries("text.text")} and tenants.name <> 'Another'
           or tenants.name = 'Another' and text.direction = 'to_handset' and text.purpose in ('start', 'drip') and not ${carries("text.text")})
       + (select count(*) from messages join tenants on tenants.id = messages.tenant_id where tenants.name <> 'Another' and ${carries("text")})
       + (select count(*) from inbound_texts join tenants on tenants.id = tenant_id where tenants.name <> 'Another' and ${carries("text")})
       + (select count(*) from extractions join tenants on tenants.id = tenant_id
         where tenants.name <> 'Another' and (${carries("fields::text")} or ${carries("evidence::text")}))
       + (select count(*) from events join tenants on tenants.id = tenant_id where tenants.name <> 'Another' and ${carries("data::text")})
       + (select count(*) from events join campaigns on campaigns.id = events.campaign_id where campaigns.tenant_id <> events.tenant_id)
       + (select count(*) from events cross join unnest(thread_ids) as it (id) join threads on threads.id = it.id
         where threads.tenant_id <> events.tenant_id)
       + (select count(*) from extractions join threads on threads.id = thread_id where threads.tenant_id <> extractions.tenant_id)
       + (select count(*) from simulator_texts text join attempts using (ref) where text.tenant_id <> attempts.tenant_id)
       + (select count(*) from messages join lanes on lanes.id = messages.lane_id where lanes.tenant_id <> messages.tenant_id)
       + (select count(*) from threads join campaigns on campaigns.id = threads.campaign_id where campaigns.tenant_id <> threads.tenant_id)`,
  ),
  one(
    "wrongTotals",
    `select count(*) from campaigns where total <> (
       select count(*) from threads where threads.tenant_id = campaigns.tenant_id and threads.campaign_id = campaigns.id)`,
  ),
  one("heldJobs", STAY_HELD),
];

type Unreached = {
  other: boolean;
  campaign_id: string;
  phone: string;
  state: string;
  reason: string | null;
  isTaken: boolean;
};

/** Recipients whose starting message the carrier has not, or who ended as if it had not. */
const UNREACHED = `
  select tenants.name = 'Another' as other, campaigns.campaign_id, threads.phone, threads.state, threads.reason, text.ref is not null as "isTaken"
  from threads join tenants on tenants.id = threads.tenant_id
  join campaigns on campaigns.tenant_id = threads.tenant_id and campaigns.id = threads.campaign_id and campaigns.channel = 'sms'
  left join messages on messages.tenant_id = threads.tenant_id and messages.campaign_id = threads.campaign_id
    and messages.thread_id = threads.id and messages.step = 0
  left join attempts on attempts.tenant_id = messages.tenant_id and attempts.message_id = messages.id and attempts.state in ('accepted', 'held')
  left join simulator_texts text on text.tenant_id = attempts.tenant_id and text.ref = attempts.ref
  where text.ref is null or threads.state in ('failed', 'skipped', 'expired')`;

type Ended = { other: boolean; campaign_id: string | null; phone: string; reason: string | null };

const ENDED = `
  select tenants.name = 'Another' as other, campaigns.campaign_id, messages.phone, messages.rule as reason
  from messages join tenants on tenants.id = messages.tenant_id
  left join campaigns on campaigns.tenant_id = messages.tenant_id and campaigns.id = messages.campaign_id
  where messages.direction = 'outbound' and messages.state in ('suppressed', 'failed', 'undelivered', 'expired')`;

const OPTED_OUT = `
  select name = 'Another' as other, phone from consents join tenants on tenants.id = tenant_id where opted_out_at is not null
  union all
  -- As often as it is nobody's: a recipient that is opted out by no consent, or is not by one.
  select name = 'Another', threads.phone || ' as a recipient' from threads join tenants on tenants.id = threads.tenant_id
  left join consents on consents.tenant_id = threads.tenant_id and consents.phone = threads.phone
  where (threads.state = 'opted_out') <> (consents.opted_out_at is not null)`;

const key = ({ other, phone }: { other?: boolean; phone: string }): string => `${other ? "another's" : "our"} ${phone}`;

/** What ended without its text, or with another end than the run has given it a cause for. */
async function ends({ sql, acknowledged }: World): Promise<Pick<Findings, "lost" | "causeless" | "wrongOptOuts">> {
  const stoppers = new Set([...acknowledged.texts.values()].filter(({ text }) => keywordOf(text) === "stop").map(key));
  for (const phone of acknowledged.saidInCalls) stoppers.add(key({ phone }));
  const isStopped = (recipient: { campaign_id: string | null }, how: "pause" | "delete") =>
    recipient.campaign_id !== null && acknowledged.stopped.get(recipient.campaign_id) === how;
  const unreached = await sql<Unreached>(UNREACHED);
  const hasCause = (recipient: Unreached) =>
    (recipient.state === "opted_out" && stoppers.has(key(recipient))) ||
    ((recipient.state === "scheduled" || recipient.state === "held") && isStopped(recipient, "pause")) ||
    (recipient.state === "skipped" && isStopped(recipient, "delete")) ||
    // Counted by itself.
    recipient.state === "unknown";
  const causeless = unreached.filter((recipient) => !hasCause(recipient));
  const ended = await sql<Ended>(ENDED);
  const hasReason = (recipient: Ended) =>
    (recipient.reason === "opted_out" && stoppers.has(key(recipient))) ||
    (recipient.reason === "campaign_deleted" && isStopped(recipient, "delete")) ||
    // A conversation that has come to its end, or whose contact was not written to, for a cause of its own.
    recipient.reason === "conversation_completed" ||
    recipient.reason === "starting_message_not_sent";
  const out = new Set((await sql<{ other: boolean; phone: string }>(OPTED_OUT)).map(key));
  return {
    lost: causeless.filter(({ isTaken }) => !isTaken).length,
    causeless: causeless.filter(({ isTaken }) => isTaken).length + ended.filter((call) => !hasReason(call)).length,
    wrongOptOuts: out.symmetricDifference(stoppers).size,
  };
}

/** What is wrong with the tables of any tenant at rest, in words. */
export async function unrest({ sql }: World): Promise<string[]> {
  const tenants = await sql<{ id: string; now: Date }>(
    "select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test'",
  );
  const found: string[] = [];
  for (const { id, now } of tenants)
    found.push(...(await sql<{ problem: string }>(AT_REST, [id, now])).map(({ problem }) => problem));
  return found;
}

/** Reads the records of the carrier and of the service, and what was acknowledged. Fails for nothing. */
export async function findings(world: World): Promise<Findings> {
  const [store] = await world.sql<Findings>(`select ${RECORDS.join(",\n")}`);
  const traffic = await Promise.all(
    [world.api, world.other].map(async (api) => (await api.get("/v1/simulator/traffic")).body),
  );
  return {
    ...store!,
    ...(await ends(world)),
    unrest: (await unrest(world)).length,
    // By the carrier alone too: by campaign and step, whatever the ledger says.
    duplicates: Math.max(
      store!.duplicates,
      traffic.reduce((sum, row) => sum + row.duplicates, 0),
    ),
    afterOptOut: traffic.reduce((sum, row) => sum + row.after_opt_out, 0),
    outsideWindow: traffic.reduce((sum, row) => sum + row.outside_window, 0),
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

/** What a queue held by its former names is freed by the next tidying of a worker. */
const FREED_WITHIN_MS = 90_000;

/** Waits until no job is locked by nobody; goes on when that takes too long, for the findings to say. */
async function jobsAreFreed({ sql }: World): Promise<void> {
  const held = async () => (await sql<{ count: string }>(HELD_JOBS))[0]!.count;
  await until("no job is held by nobody", async () => (await held()) === "0", FREED_WITHIN_MS).catch(() => {});
}

/**
 * Fails unless every promise was kept; `unknown` is how many texts may have been left to an operator, `silences` how many conversations the
 * agent may have left where they were.
 */
export async function assertPromises(world: World, { unknown = 0, silences = 0 } = {}): Promise<Findings> {
  await jobsAreFreed(world);
  const found = await findings(world);
  // Where nothing is seen nothing is broken: this session must be one that row security lets see.
  assert.ok(found.recipients > 0, "the records are empty");
  const { taken: _taken, recipients: _recipients, unknown: unknownFound, silences: silent, ...violations } = found;
  const broken = Object.entries(violations).filter(([, n]) => n !== 0);
  if (broken.length > 0) {
    for (const line of await unrest(world)) world.t.diagnostic(line);
    for (const query of ["select * from faults.steps", HELD, UNREACHED, ENDED, OPTED_OUT])
      world.t.diagnostic(JSON.stringify((await world.sql(`${query} limit 10`)).slice(0, 10)));
    for (const worker of world.workers) world.t.diagnostic(worker.said.join("").slice(-1_500));
  }
  assert.deepEqual(Object.fromEntries(broken), {}, "promises were broken");
  assert.ok(unknownFound <= unknown, `${unknownFound} texts are unknown, at most ${unknown} may be`);
  if (silent > silences) world.t.diagnostic(JSON.stringify(await world.sql(SILENT)));
  assert.ok(silent <= silences, `${silent} conversations have no answer, at most ${silences} may be silent`);
  return found;
}
