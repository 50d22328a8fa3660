import type { Context } from "#operations/context.ts";
import * as cluster from "#store/database/cluster.ts";

export type HealthCheck = {
  name: "service" | "database" | "replica" | "clock" | "sending" | "calls" | "jobs";
  problem: string | null;
};

/** The checks of this node, each with what is wrong, or null. */
export type OwnChecks = Readonly<Record<string, string | null>>;

/** Workers take a job within a second; with this many minutes of work waiting, they do not keep up. */
const LATE_MS = 5 * 60_000;

/** Whether the service is healthy, worded for people who run campaigns. */
export async function checkHealth(ctx: Context, own: OwnChecks): Promise<HealthCheck[]> {
  const now = ctx.now();
  const [nodes, jobs] = await Promise.all([cluster.nodes(ctx.db), cluster.jobs(ctx.db, now)]);
  const runs = (role: string) => nodes.some((node) => node.is_alive && node.roles.includes(role));
  const behindMs = jobs.oldest_due_at === null ? 0 : now.getTime() - jobs.oldest_due_at.getTime();
  return [
    { name: "service", problem: own.process ? "This node is being stopped." : null },
    { name: "database", problem: sentenceOf(own.database ?? own.migrations ?? own.pool ?? downOf(ctx)) },
    ...replicaOf(ctx),
    { name: "clock", problem: own.clock ? `The clock is ${own.clock}: set it by NTP.` : null },
    { name: "sending", problem: runs("worker") ? null : "No worker runs: nothing is sent and no text is answered." },
    { name: "calls", problem: runs("media") ? null : "No media node runs: no call is placed or taken." },
    {
      name: "jobs",
      problem:
        behindMs > LATE_MS ? `Work that was due ${Math.round(behindMs / 60_000)} minutes ago still waits.` : null,
    },
  ];
}

/** Tenants of the others notice nothing of it. */
function downOf({ db }: Context): string | null {
  const down = db.serversDown?.() ?? [];
  return down.length === 0 ? null : `${down.join(", ")} of the cluster is down, and whose rows are there waits`;
}

/** None where the service reads from no replica. */
function replicaOf({ replica }: Context): HealthCheck[] {
  if (replica === undefined) return [];
  const { problem } = replica.state();
  const sentence = problem && `The read replica: ${problem}. Lists and reports are read from the database itself.`;
  return [{ name: "replica", problem: sentence }];
}

const sentenceOf = (problem: string | null | undefined): string | null =>
  problem ? `The database: ${problem}.` : null;
