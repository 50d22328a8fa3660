import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Tx } from "./db.ts";

/** Every job with its payload. A job only says what to check: the tables say what is to be done, so a lost job costs nothing but time. */
export type JobPayloads = {
  "drain-lane": { tenantId: Uuid; laneId: Uuid };
  /** Run by nodes of the role `media` alone. */
  "drain-dial-lane": { tenantId: Uuid; laneId: Uuid };
  "reply-to-thread": { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };
  "extract-thread": { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };
  "judge-opt-out": { tenantId: Uuid; phone: string };
  "check-numbers": { tenantId: Uuid };
  "analyse-calls": { tenantId: Uuid };
  "fetch-media": { tenantId: Uuid; messageId: Uuid };
};
export type JobName = keyof JobPayloads;

const WANTED =
  "unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::int[]) as job (name, payload, run_at, key, priority)";
const ADDED = `graphile_worker.add_job(job.name, job.payload::json, run_at => coalesce(job.run_at, now()),
  job_key => job.key, max_attempts => 25, job_key_mode => 'replace', priority => job.priority)`;

const addJobs = crossTenant("add-jobs", `select count(*) from ${WANTED}, lateral ${ADDED}`);

// A job that still waits is taken later than this, and so sees all that was committed before.
// A doubt that is being judged is not judged by two models at once.
const addMissingJobs = crossTenant(
  "add-missing-jobs",
  `with job as materialized (select job.* from ${WANTED} where not exists (
     select from graphile_worker.jobs hung where hung.key = job.key and hung.run_at <= coalesce(job.run_at, now())
       and case when hung.locked_at is null then hung.attempts < hung.max_attempts
                else job.name = 'judge-opt-out' and hung.locked_at > now() - interval '1 minute' end))
   select count(*) from job, lateral ${ADDED}`,
);

/** A contact who may have opted out does not wait behind a thousand who are to be answered. */
const BEFORE_OTHERS = -1;
/** A contact waits for its answer, and nobody for what can be read from the conversation: it is read once those who have written are answered. */
const AFTER_OTHERS = 1;

export type Job = { [N in JobName]: { job: N; payload: JobPayloads[N]; runAt?: Date | undefined } }[JobName];

/** Many enqueue a lane's job: once for each text that becomes due on it. */
const isLane = ({ job }: Job): boolean => job === "drain-lane" || job === "drain-dial-lane";

/**
 * Adds jobs, to be run at once or at a (real) time. The same job for the same thing is kept once: the newer replaces one that waits, and one
 * that is running is followed by another. A lane keeps the earlier of the two: a drain that ends and asks for tomorrow must not put off leads
 * that came in meanwhile. Jobs of lanes are added after the commit: nobody waits for another's transaction then, and where the job waits
 * already there is nothing to write.
 */
export async function enqueue(tx: Tx, them: readonly Job[]): Promise<void> {
  const [lanes, others] = [them.filter(isLane), them.filter((job) => !isLane(job))];
  if (others.length > 0) await tx.run(addJobs, columnsOf(others));
  if (lanes.length > 0) await tx.afterwards(addMissingJobs, columnsOf(lanes));
}

/** Adds those jobs that do not wait already, in this transaction: thousands may wait for a model, and are not written anew each time. */
export async function addMissing(tx: Tx, them: readonly Job[]): Promise<void> {
  if (them.length > 0) await tx.run(addMissingJobs, columnsOf(them));
}

function columnsOf(them: readonly Job[]): unknown[] {
  // In one order: two sweeps at once would otherwise wait for each other.
  const jobs = them.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return [
    jobs.map((job) => job.job),
    jobs.map((job) => JSON.stringify(job.payload)),
    jobs.map((job) => job.runAt ?? null),
    jobs.map((job) => keyOf(job)),
    jobs.map(({ job }) => (job === "judge-opt-out" ? BEFORE_OTHERS : job === "extract-thread" ? AFTER_OTHERS : null)),
  ];
}

/**
 * A job runs much shorter: a drain ends itself after ten seconds, and what it waits for then has its limits. One that has run longer may never
 * end, and must not hold up those that are enqueued after it.
 */
const RUNS_WITHIN_MS = 60_000;

/** The jobs that are running in a process. */
export type Runs = Map<string, Running>;
export const createRuns = (): Runs => new Map();

/** A job that is running; `enqueuedAgain` when it was enqueued meanwhile, which its work may reset by checking once more. */
export type Running = { enqueuedAgain: boolean; readonly since: number };

/**
 * Runs a job once at a time in a process, whose running jobs are in `runs`: a second run meanwhile only makes the first check once more, and the job is
 * enqueued again if the first did not. `steadyMs` is a monotonic clock.
 */
export async function runOnce(
  runs: Runs,
  db: Tx,
  job: Job,
  work: (state: Running) => Promise<void>,
  steadyMs: () => number = () => performance.now(),
): Promise<void> {
  const key = keyOf(job);
  const running = runs.get(key);
  if (running && steadyMs() - running.since < RUNS_WITHIN_MS) {
    running.enqueuedAgain = true;
    return;
  }
  const state = { enqueuedAgain: false, since: steadyMs() };
  runs.set(key, state);
  try {
    await work(state);
  } finally {
    if (runs.get(key) === state) runs.delete(key);
    if (state.enqueuedAgain) await enqueue(db, [job]);
  }
}

function keyOf(job: Job): string {
  return `${job.job}:${job.payload.tenantId}:${thingOf(job)}`;
}

/** What of the tenant the job is about. */
function thingOf(job: Job): string {
  switch (job.job) {
    case "drain-lane":
    case "drain-dial-lane":
      return job.payload.laneId;
    case "judge-opt-out":
      return job.payload.phone;
    case "fetch-media":
      return job.payload.messageId;
    case "check-numbers":
    case "analyse-calls":
      return "";
    default:
      return job.payload.threadId;
  }
}
