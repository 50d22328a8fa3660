import { wire } from "#app/context.ts";
import { readConfig } from "#app/settings/config.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { createAgent } from "#operations/agents/create-agent.ts";
import type { Context } from "#operations/context.ts";
import { processState } from "#operations/process-state.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { SESSION_OPTIONS } from "#store/database/db.ts";
import { Backends } from "./backends.ts";
import { checkInvariants } from "./invariants.ts";
import { echoModel, slowJournal } from "./outside.ts";
import type { Owner } from "./people.ts";
import { type Plan, planOf } from "./plan.ts";
import { type Random, seeded } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { SessionPool } from "./sessions.ts";
import { takeOverTime } from "./virtual-time.ts";
import { type Base, World } from "./world.ts";

export type Outcome = {
  seed: number;
  plan: Plan;
  problems: readonly string[];
  /** Equal for equal runs. */
  fingerprint: string;
  lines: readonly string[];
  steps: number;
  simulatedMs: number;
  statements: number;
  lockWaits: number;
  deadlocks: number;
  texts: number;
};

export type Options = {
  plan?: Plan;
  keepTrace?: boolean;
  /** To see that it would be seen. */
  takesTwice?: boolean;
  broken?: Broken;
};

/** What is wrong with the service on purpose: statements by their names that are run as something else, and parts of its context. */
export type Broken = { statements?: Record<string, (text: string) => string>; context?: Partial<Context> };

/** Every change of an opt-out as the database commits it, whatever statement made it: the witness goes by names. */
const CHANGES = `
  create schema if not exists simulated;
  create table if not exists simulated.opt_outs (n bigint generated always as identity, phone text, is_out boolean);
  create or replace function simulated.note_opt_out() returns trigger language plpgsql security definer as $$
    begin
      insert into simulated.opt_outs (phone, is_out) values (new.phone, new.opted_out_at is not null);
      return null;
    end $$;
  create or replace trigger changed after update of opted_out_at on consents for each row
    when ((old.opted_out_at is null) <> (new.opted_out_at is null)) execute function simulated.note_opt_out()`;

/** So many runs take about a minute, and the tidying a second. */
const TIDY_EVERY = 250;

export type Simulation = {
  /** Runs a seed, or a plan with the chances of that seed. */
  run(seed: number, options?: Options): Promise<Outcome>;
  close(): Promise<void>;
};

/** Opens the simulation over a migrated database of its own. One run at a time. */
export async function openSimulation(databaseUrl: string): Promise<Simulation> {
  const backends = await Backends.open(databaseUrl, SESSION_OPTIONS);
  // What no run replaces: number plan, windows, registry. Its pool is never connected, nor its files written.
  const env = {
    DATABASE_URL: databaseUrl,
    PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    PARLEY_LOG_LEVEL: "error",
  };
  const wired = wire(readConfig(env), databaseUrl, "simulation");
  await backends.script(CHANGES);
  const [tables] = await backends.look<{ names: string[] }>(
    "tables",
    `select array_agg(format('%I.%I', schemaname, tablename)) as names from pg_tables
     where (schemaname = 'public' and tablename not in ('migrations', 'cluster')) or (schemaname = 'graphile_worker' and tablename = '_private_jobs')
       or schemaname = 'simulated'`,
  );
  // Without triggers and foreign keys the order does not matter. Far quicker than truncating thirty empty tables.
  const clean = `set session_replication_role = replica; ${tables!.names.map((table) => `delete from ${table}`).join("; ")};
    set session_replication_role = origin; select pg_advisory_unlock_all()`;
  let runs = 0;
  return {
    async run(seed, options = {}) {
      // What is deleted between runs stays in the tables: after a thousand of them most of the time would go there.
      if (++runs % TIDY_EVERY === 0) await backends.script("vacuum");
      return run(backends, wired.ctx, clean, seed, options);
    },
    async close() {
      await backends.close();
      await wired.close();
    },
  };
}

async function run(
  backends: Backends,
  wired: Context,
  clean: string,
  seed: number,
  { plan = planOf(seed), keepTrace = false, takesTwice = false, broken = {} }: Options,
): Promise<Outcome> {
  await backends.clear();
  await backends.script(clean);
  const random = seeded(seed, "schedule");
  const scheduler = new Scheduler(random, keepTrace);
  takeOverTime(random.next);
  const before = {
    statements: backends.statements,
    lockWaits: backends.lockWaits,
    deadlocks: backends.deadlocks.length,
  };
  const epoch = Date.parse(plan.beginsAt);
  const newId = idSource(seeded(seed, "ids"), () => epoch + scheduler.now);
  const model = echoModel(seeded(seed, "model"));
  let isCalm = () => true;
  const journal = slowJournal(seeded(seed, "journal"), () => isCalm());
  const shared = { ...wired, newId, journal, models: { forMode: () => model }, ...broken.context };
  const base: Base = { backends, shared, epoch, tenantId: newId() };
  const world = new World(plan, scheduler, random, seeded(seed, "carrier"), base);
  world.carrier.takesTwice = takesTwice;
  isCalm = () => world.carrier.isCalm;
  world.people.owner = await settle(world, { ...shared, now: () => world.wallClock() });
  backends.rewrites = new Map(Object.entries(broken.statements ?? {}));
  await world.run();
  await checkInvariants(world);
  // Each costs the service a second, and five in a row a request.
  const deadlocks = backends.deadlocks.slice(before.deadlocks);
  for (const deadlock of deadlocks) world.witness.problem(`a deadlock: ${deadlock}`);
  // The same steps could still have left other rows behind.
  for (const { rows } of await backends.look<{ rows: string }>("rows", ROWS, [base.tenantId]))
    scheduler.trace("rows", rows);
  return {
    seed,
    plan,
    problems: world.witness.problems,
    fingerprint: scheduler.fingerprint(),
    lines: scheduler.lines,
    steps: scheduler.steps,
    simulatedMs: scheduler.now,
    statements: backends.statements - before.statements,
    lockWaits: backends.lockWaits - before.lockWaits,
    deadlocks: deadlocks.length,
    texts: world.carrier.storeEnd.length,
  };
}

/** What the run has left behind, as a hash for each table. */
const ROWS = ["messages", "attempts", "threads", "consents"]
  .map(
    (table) =>
      `select '${table} ' || coalesce(md5(string_agg(it::text, ' ' order by it::text)), '') as rows from ${table} it where tenant_id = $1`,
  )
  .join(" union all ");

/** The tenant and its agent, made before anything can break. */
async function settle(world: World, shared: Omit<Context, "db">): Promise<Owner> {
  const { scheduler, task, base, plan, random } = world;
  const { backends, tenantId } = base;
  const pool = new SessionPool(
    { backends, scheduler, random, onCommit: () => {}, onStatement: () => {} },
    task.process,
  );
  const db = pool.asDb();
  const ctx: Context = { ...shared, db, tenantDb: db, process: processState() };
  const caller = {
    tenantId,
    accountId: tenantId,
    keyId: tenantId,
    mode: "test" as const,
    scopes: [],
    organizations: undefined,
    newId: ctx.newId,
  };
  const settling = scheduler.spawn(task.process, "settles", async (): Promise<Owner> => {
    const tenant = { id: tenantId, otherId: ctx.newId(), name: "Acme", mode: "test", created_at: ctx.now() } as const;
    await ctx.db.transaction((tx) => tenants.insert(tx, tenant));
    const organization = await createOrganization(ctx, caller, { name: "Acme" });
    const user = await createUser(ctx, caller, organization.id, { name: "Uma", email: "uma@acme.example" });
    const agent = await createAgent(
      ctx,
      caller,
      { organizationId: organization.id, userId: user.id },
      {
        agent_type: "sms",
        agent_name: "Ava",
        prompt: "Answer what they ask.",
        starting_message: "Hi {{first_name}}, this is Ava of Acme.",
        drip_schedule: plan.drips.map((day) => ({ day, message: `Still there after ${day} days?` })),
      },
    );
    return {
      organizationId: publicId("organization", organization.id),
      userId: publicId("user", user.id),
      agentId: publicId("agent", agent.id),
      caller,
    };
  });
  for (;;) {
    const action = await scheduler.draw();
    const nextAt = scheduler.nextAt();
    if (action) await scheduler.perform(action);
    else if (nextAt === undefined) return settling;
    else scheduler.passTo(nextAt);
  }
}

/** UUIDv7s by the run's own clock and chance, growing, as a process makes them. */
function idSource(random: Random, now: () => number): () => Uuid {
  let ms = 0;
  let count = 0;
  return () => {
    const current = now();
    count = current > ms ? 0 : count + 1;
    ms = Math.max(ms, current);
    const hex = (value: number, digits: number) => Math.floor(value).toString(16).padStart(digits, "0");
    const time = hex(ms, 12);
    const chance = () => hex(random.next() * 0x1000000, 6);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count, 3)}-8${chance().slice(0, 3)}-${chance()}${chance()}`;
  };
}
