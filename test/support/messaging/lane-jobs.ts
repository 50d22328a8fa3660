import { until } from "#test/support/time/until.ts";

type Query = (text: string, values?: readonly unknown[]) => Promise<{ id: string }[]>;

const ENQUEUE = `
  select job.id from (
    select 'drain-lane' as name, tenant_id, id from lanes
    union all select 'drain-dial-lane', tenant_id, id from dial_lanes where $1) as lane,
  lateral graphile_worker.add_job(lane.name, json_build_object('tenantId', lane.tenant_id, 'laneId', lane.id)) as job`;

/**
 * Enqueues the job of every lane of texts, and of calls where a media node runs that does them, and waits until each is done: what may leave by
 * then is claimed. So a test sees that nothing leaves without waiting for some time, in which a busy machine may not have looked at all.
 */
export async function runLanes(query: Query, { calls = false } = {}): Promise<void> {
  // Twice: a lane that is just being looked at is not looked at once more by its second job.
  for (let times = 0; times < 2; times++) {
    const jobs = (await query(ENQUEUE, [calls])).map(({ id }) => id);
    if (jobs.length === 0) throw new Error("there is no lane");
    await until("the lanes have been looked at", async () => {
      const left = await query("select id from graphile_worker._private_jobs where id = any($1::bigint[])", [jobs]);
      return left.length === 0;
    });
  }
}
