import { CALLING_RULES, VERIFIED_ON } from "#domain/compliance/calling-rules.ts";
import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { ObjectUploads } from "#domain/system/object-uploads.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as cluster from "#store/database/cluster.ts";
import * as ready from "#store/database/ready.ts";
import * as threadLists from "#store/messaging/thread-lists.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as fence from "#store/system/fence.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";

/** The settings that this node was started with. Nothing of it is secret. */
export type SystemFacts = {
  version: string;
  /** That the archive was made of, or the checkout stands at; null where nobody can say. */
  commit: string | null;
  startedAt: Date;
  /** Of the language model's endpoint; null for the offline agent. */
  modelHost: string | null;
  /** The second model, where one is named. */
  modelFallback: { name: string; host: string } | null;
  speech: { voice: string; transcription: string; problem: string | null };
  database: "embedded" | "external";
  journalDays: number;
  areaCodes: number;
  /** Of the disk that the data directory is on; null where it is unknown. */
  disk(): Promise<{ freeBytes: number; totalBytes: number } | null>;
};

/** There are very few; more than this means that something else is wrong. */
const MAX_SET_ASIDE = 100;

/** What media nodes that run have dropped of what came over the network, each since its process began. */
export async function networkDrops({ db }: Pick<Context, "db">): Promise<{ node: string; drops: NetworkDrops }[]> {
  return (await cluster.nodes(db)).filter((node) => node.is_alive).map(({ id, drops }) => ({ node: id, drops }));
}

/** What of the disks of nodes that run the shared store has not confirmed yet. */
export async function objectUploads({ db }: Pick<Context, "db">): Promise<({ node: string } & ObjectUploads)[]> {
  const running = (await cluster.nodes(db)).filter((node) => node.is_alive);
  return running.flatMap(({ id, objects }) => (objects === null ? [] : [{ node: id, ...objects }]));
}

/** The name of an account that sends the tenant's texts in live mode. */
async function liveAccount({ tenantDb }: Context, accountId: Uuid): Promise<string | null> {
  const live = await tenants.inMode(tenantDb, accountId, "live");
  return live === undefined ? null : ((await carrierAccounts.connected(tenantDb, live)) ?? null);
}

const namesOrNone = (names: readonly string[]): (string | null)[] => (names.length === 0 ? [null] : [...names]);

/** The service's parts, and the state of each. */
export async function readSystem(ctx: Context, { tenantId, accountId }: Caller, facts: SystemFacts) {
  const now = ctx.now();
  const [
    setAside,
    nodes,
    jobs,
    databaseBytes,
    aheadMs,
    { fenced_at, fence_reason },
    { skewMs },
    disk,
    conversations,
    account,
  ] = await Promise.all([
    stuckTasks.setAside(ctx.db, tenantId, MAX_SET_ASIDE),
    cluster.nodes(ctx.db),
    cluster.jobs(ctx.db, now),
    cluster.databaseBytes(ctx.db),
    tenants.clockOffsetMs(ctx.db, tenantId),
    fence.read(ctx.db),
    ready.check(ctx.db, ctx.now),
    facts.disk(),
    threadLists.waiting(ctx.db, tenantId, null),
    liveAccount(ctx, accountId),
  ]);
  return {
    now,
    setAside,
    nodes,
    jobs,
    databaseBytes,
    disk,
    aheadMs,
    conversations,
    skewMs: skewMs === null ? null : Math.round(skewMs),
    fence: { fenced_at, fence_reason },
    carriers: (["test", "live"] as const).flatMap((mode) => [
      { channel: "sms" as const, mode, name: mode === "test" ? ctx.carriers.simulator.name : account },
      ...namesOrNone(ctx.lines.names(mode)).map((name) => ({ channel: "voice" as const, mode, name })),
    ]),
    model: ctx.models.forMode("live").name,
    law: { profile: ctx.profile, verifiedOn: VERIFIED_ON, rules: CALLING_RULES.length },
  };
}
