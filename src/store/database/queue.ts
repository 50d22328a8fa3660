import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Tx } from "./db.ts";

/** Every job and what it carries. A job is a doorbell: the tables say what is to be done, so a lost one only costs time. */
export type JobPayloads = {
  "drain-lane": { tenantId: Uuid; laneId: Uuid };
  /** Answered by nodes of the role `media` alone. */
  "drain-dial-lane": { tenantId: Uuid; laneId: Uuid };
  "reply-to-thread": { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };
  "extract-thread": { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };
  "judge-opt-out": { tenantId: Uuid; phone: string };
  "check-numbers": { tenantId: Uuid };
  "analyse-calls": { tenantId: Uuid };
};
export type JobName = keyof JobPayloads;

const WANTED =
  "unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::int[]) as job (name, payload, run_at, key, priority)";
const ADDED = `graphile_worker.add_job(job.name, job.payload::json, run_at => coalesce(job.run_at, now()),
  job_key => job.key, max_attempts => 25, job_key_mode => 'replace', priority => job.priority)`;

const addJobs = crossTenant("add-jobs", `select count(*) from ${WANTED}, lateral ${ADDED}`);

// Whoever takes a bell that still waits takes it later than this, and so sees all that was committed before.
// A doubt that is being judged is not judged by two models at once.
const addMissingJobs = crossTenant(
  "add-missing-jobs",
  `with job as materialized (select job.* from ${WANTED} where not exists (
     select from graphile_worker.jobs hung where hung.key = job.key and hung.run_at <= coalesce(job.run_at, now())
       and case when hung.locked_at is null then hung.attempts < hung.max_attempts
                else job.name = 'judge-opt-out' and hung.locked_at > now() - interval '1 minute' end))
   select count(*) from job, lateral ${ADDED}`,
);

/** Whoever may have asked to be left alone does not wait behind a thousand who are to be answered. */
const BEFORE_OTHERS = -1;

export type Ring = { [N in JobName]: { job: N; payload: JobPayloads[N]; runAt?: Date | undefined } }[JobName];

/** A lane's bell is everybody's: it is rung for each text that becomes due on it. */
const isLane = ({ job }: Ring): boolean => job === "drain-lane" || job === "drain-dial-lane";

/**
 * Rings doorbells, at once or at a (real) time. The same job for the same thing is one doorbell: the newer ring replaces a waiting one, and
 * one that is being answered is followed by another. A lane keeps the earlier of the two: a drain that ends and rings for tomorrow must
 * not silence the bell for leads that came in meanwhile. Lanes are rung after the commit: nobody waits for another's transaction then, and
 * where the bell waits already there is nothing to write.
 */
export async function ring(tx: Tx, them: readonly Ring[]): Promise<void> {
  const [lanes, others] = [them.filter(isLane), them.filter((it) => !isLane(it))];
  if (others.length > 0) await tx.run(addJobs, columnsOf(others));
  if (lanes.length > 0) await tx.afterwards(addMissingJobs, columnsOf(lanes));
}

/** Adds those jobs that do not wait already, in this transaction: thousands may wait for a model, and are not written anew each time. */
export async function addMissing(tx: Tx, them: readonly Ring[]): Promise<void> {
  if (them.length > 0) await tx.run(addMissingJobs, columnsOf(them));
}

function columnsOf(them: readonly Ring[]): unknown[] {
  // In one order: two sweeps at once would otherwise wait for each other.
  const rings = them.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return [
    rings.map((it) => it.job),
    rings.map((it) => JSON.stringify(it.payload)),
    rings.map((it) => it.runAt ?? null),
    rings.map((it) => keyOf(it)),
    rings.map((it) => (it.job === "judge-opt-out" ? BEFORE_OTHERS : null)),
  ];
}

const answering = new WeakMap<object, Map<string, Answering>>();

/**
 * An answer takes no longer, by far: a drain ends itself after ten seconds, and what it waits for then has its limits. One that has taken
 * longer may never come back, and must not go on taking the bells for itself.
 */
const ANSWERED_WITHIN_MS = 60_000;

/** A bell that is being answered; `rungAgain` when it has rung meanwhile, which whoever answers it may take back by looking once more. */
export type Answering = { rungAgain: boolean; readonly since: number };

/**
 * Answers a bell once at a time in a process, which `owner` stands for: one that rings meanwhile only makes the first look once more, and is
 * rung again when it did not. `steadyMs` is a clock that nobody moves.
 */
export async function answerOnce(
  owner: object,
  db: Tx,
  bell: Ring,
  work: (state: Answering) => Promise<void>,
  steadyMs: () => number = () => performance.now(),
): Promise<void> {
  const mine = answering.get(owner) ?? new Map<string, Answering>();
  answering.set(owner, mine);
  const key = keyOf(bell);
  const running = mine.get(key);
  if (running && steadyMs() - running.since < ANSWERED_WITHIN_MS) {
    running.rungAgain = true;
    return;
  }
  const state = { rungAgain: false, since: steadyMs() };
  mine.set(key, state);
  try {
    await work(state);
  } finally {
    if (mine.get(key) === state) mine.delete(key);
    if (state.rungAgain) await ring(db, [bell]);
  }
}

function keyOf(it: Ring): string {
  return `${it.job}:${it.payload.tenantId}:${thingOf(it)}`;
}

/** What of the tenant the job is about. */
function thingOf(it: Ring): string {
  switch (it.job) {
    case "drain-lane":
    case "drain-dial-lane":
      return it.payload.laneId;
    case "judge-opt-out":
      return it.payload.phone;
    case "check-numbers":
    case "analyse-calls":
      return "";
    default:
      return it.payload.threadId;
  }
}
