import type { Uuid } from "#domain/values/id.ts";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import type { LivingProcess } from "./process.ts";

// The queue's own tables and `add_job` are used as they are; only its runner, which lives by its own clock, is ours.

/** As the runner does for a process that is asked to do more. */
const JOBS_AT_ONCE = 3;

const FETCH = `with next as (
    select id from graphile_worker._private_jobs where is_available and run_at <= $1 order by id limit 1 for update skip locked),
  fetched as (
    update graphile_worker._private_jobs job set locked_at = $1, locked_by = $2, attempts = attempts + 1
    from next, graphile_worker._private_tasks task where job.id = next.id and task.id = job.task_id
    returning job.id, task.identifier, job.payload)
  select fetched.*, (select min(run_at) from graphile_worker._private_jobs where is_available) as next_at
  from (select) as one left join fetched on true`;
const DONE = "delete from graphile_worker._private_jobs where id = $1";
const AGAIN =
  "update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = $2 where id = $1 and locked_by = $3";

type Job = {
  id: string | null;
  next_at: Date | null;
  identifier: string;
  payload: { tenantId: Uuid; laneId: Uuid; campaignId: Uuid; threadId: Uuid };
};

/** The jobs of one run. */
export class Jobs {
  /** When there may be one to run, in wall-clock milliseconds. */
  at = Number.NEGATIVE_INFINITY;
  private enqueued = 0;

  /** A job may have been enqueued, or put back. */
  enqueue(): void {
    this.at = Number.NEGATIVE_INFINITY;
    this.enqueued++;
  }

  mayBeAnsweredBy({ fetching, jobs }: LivingProcess, now: Date): boolean {
    return this.at <= now.getTime() && !fetching && jobs < JOBS_AT_ONCE;
  }

  /** Fetches a job and does it. A failed one is tried again later; one of a process that dies stays locked. */
  async answer(process: LivingProcess): Promise<void> {
    process.fetching = true;
    let job: Job | undefined;
    try {
      job = await this.fetch(process);
    } finally {
      process.fetching = false;
    }
    if (!job) return;
    process.jobs++;
    try {
      await work(process, job);
      await process.pool.query({ name: "job-done", text: DONE, values: [job.id] });
    } catch (error) {
      process.failed(job.identifier, error);
      const runAt = new Date(process.ctx.now().getTime() + 2_000);
      await process.pool.query({ name: "job-again", text: AGAIN, values: [job.id, runAt, process.lockedBy] });
      this.enqueue();
    } finally {
      process.jobs--;
    }
  }

  private async fetch(process: LivingProcess): Promise<Job | undefined> {
    const { enqueued } = this;
    const values = [process.ctx.now(), process.lockedBy];
    const { rows } = await process.pool.query({ name: "job-fetch", text: FETCH, values });
    const job = rows[0] as Job;
    if (job.id !== null) return job;
    // One that was enqueued meanwhile may not have been seen.
    if (enqueued === this.enqueued) this.at = job.next_at?.getTime() ?? Number.POSITIVE_INFINITY;
    return undefined;
  }
}

async function work({ ctx }: LivingProcess, { identifier, payload }: Job): Promise<void> {
  const { signal } = new AbortController();
  if (identifier === "drain-lane") await drainLane(ctx, payload, signal);
  else if (identifier === "reply-to-thread") await replyToThread(ctx, payload, signal);
}
