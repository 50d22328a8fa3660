import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

export type DemoStatus = "loading" | "loaded" | "failed" | "removing";

/** A tenant's demo data. `done` of `total` steps are behind it; times are real. */
export type Demo = {
  seed: Uuid;
  status: DemoStatus;
  step: string;
  done: number;
  total: number;
  problem: string | null;
  organization_ids: Uuid[];
  brand_ids: string[];
  started_at: Date;
  finished_at: Date | null;
};

const COLUMNS = "seed, status, step, done, total, problem, organization_ids, brand_ids, started_at, finished_at";

const findDemo = statement("find-demo", `select ${COLUMNS} from demos where tenant_id = $1`);

export const find = (tx: Tx, tenantId: Uuid): Promise<Demo | undefined> => tx.first<Demo>(findDemo, [tenantId]);

// One that failed is begun again, with the ids that it had: what was made of it is part of it.
const orderDemo = changing(
  "order-demo",
  `insert into demos (tenant_id, seed, status, step, total, leased_until, started_at) values ($1, $2, 'loading', $3, 1, 'epoch', $4)
   on conflict (tenant_id) do update set status = 'loading', step = excluded.step, done = 0, problem = null,
     started_at = excluded.started_at, finished_at = null
     where demos.tenant_id = $1 and demos.status = 'failed'`,
);

/** Has it loaded. Changes nothing where it is there, or on its way in or out. */
export async function order(tx: Tx, tenantId: Uuid, demo: { seed: Uuid; step: string; now: Date }): Promise<void> {
  await tx.run(orderDemo, [tenantId, demo.seed, demo.step, demo.now]);
}

const removeDemo = changing(
  "order-demo-removal",
  `update demos set status = 'removing', step = $2, done = 0, total = 1, problem = null, started_at = $3, finished_at = null
   where tenant_id = $1 and status <> 'removing'`,
);

/** Has it removed. */
export async function orderRemoval(tx: Tx, tenantId: Uuid, removal: { step: string; now: Date }): Promise<void> {
  await tx.run(removeDemo, [tenantId, removal.step, removal.now]);
}

const openDemos = crossTenant(
  "list-open-demos",
  "select tenant_id from demos where status in ('loading', 'removing') and leased_until < $1 order by tenant_id limit 100",
);

/** Tenants whose demo data is to be loaded or removed, and nobody does. */
export async function open(tx: Tx, now: Date): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(openDemos, [now])).map((row) => row.tenant_id);
}

const leaseDemo = changing(
  "lease-demo",
  `update demos set leased_until = $2 where tenant_id = $1 and status in ('loading', 'removing') and leased_until < $3
   returning ${COLUMNS}`,
);

/** Takes it on. Undefined when another was quicker. */
export const lease = (tx: Tx, tenantId: Uuid, term: { until: Date; now: Date }): Promise<Demo | undefined> =>
  tx.first<Demo>(leaseDemo, [tenantId, term.until, term.now]);

const comeDemo = changing(
  "note-demo-step",
  "update demos set step = $3, done = $4, total = $5, leased_until = $6 where tenant_id = $1 and seed = $2 and status = $7",
);

/** Notes that this step begins, and keeps the lease. False when it is wanted otherwise meanwhile: then whoever works on it ends. */
export async function come(
  tx: Tx,
  tenantId: Uuid,
  demo: Pick<Demo, "seed" | "status" | "step" | "done" | "total"> & { until: Date },
): Promise<boolean> {
  return (await tx.run(comeDemo, [tenantId, demo.seed, demo.step, demo.done, demo.total, demo.until, demo.status])) > 0;
}

const ownDemo = changing(
  "note-demo-parts",
  "update demos set organization_ids = $2, brand_ids = $3 where tenant_id = $1",
);

/** Notes what it consists of, before any of it is made. */
export async function own(
  tx: Tx,
  tenantId: Uuid,
  parts: { organizationIds: readonly Uuid[]; brandIds: readonly string[] },
): Promise<void> {
  await tx.run(ownDemo, [tenantId, parts.organizationIds, parts.brandIds]);
}

const loadedDemo = changing(
  "end-demo-loading",
  `update demos set status = case when $2::text is null then 'loaded' else 'failed' end, problem = $2,
     done = case when $2::text is null then total else done end, finished_at = $3, leased_until = 'epoch'
   where tenant_id = $1 and status = 'loading'`,
);

/** It is loaded, or could not be for this reason. */
export async function loaded(tx: Tx, tenantId: Uuid, outcome: { problem: string | null; now: Date }): Promise<void> {
  await tx.run(loadedDemo, [tenantId, outcome.problem, outcome.now]);
}

const freeDemo = changing("free-demo", "update demos set leased_until = 'epoch' where tenant_id = $1");

/** Gives up the lease: the next worker that checks continues. */
export async function free(tx: Tx, tenantId: Uuid): Promise<void> {
  await tx.run(freeDemo, [tenantId]);
}

const forgetDemo = changing("forget-demo", "delete from demos where tenant_id = $1");

export async function forget(tx: Tx, tenantId: Uuid): Promise<void> {
  await tx.run(forgetDemo, [tenantId]);
}
