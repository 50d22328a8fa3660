import { Command, InvalidArgumentError } from "commander";
import { readConfig } from "#app/settings/config.ts";
import { parseId } from "#domain/values/id.ts";
import { type Distributed, distribute, type Plan, planDistribution } from "#store/distribution/distribute.ts";
import { moveTenant } from "#store/distribution/move.ts";
import { type Status, statusOf } from "#store/distribution/status.ts";
import type { WithDatabase } from "./entries.ts";

type Say = (line: string) => void;

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

export function citusCommand(withDatabase: WithDatabase, say: Say): Command {
  const citus = new Command("citus").description("a database that Citus distributes over several servers");
  citus
    .command("distribute")
    .option("--dry-run", "say what there is to do, and change nothing")
    .option(
      "--shards <count>",
      "how many parts the tenants are spread over, 1 to 1,024; by default four a server",
      aShardCount,
    )
    .description(
      "distribute the tables over the cluster's servers, while the service is stopped; safe to repeat after it was cut off",
    )
    .action(async ({ dryRun, shards }: { dryRun?: boolean; shards?: number }) => {
      const url = coordinator();
      const plan = await planDistribution(url);
      for (const line of planLines(plan)) say(line);
      if (plan.missing.length > 0) throw new Error("Nothing was changed: mend what is missing first");
      if (dryRun || isDone(plan)) return;
      const done: Distributed[] = [];
      await distribute(
        url,
        (table) => {
          done.push(table);
          say(`${table.name}: ${table.place}, ${table.rows} rows, ${Math.round(table.ms)} ms`);
        },
        () => performance.now(),
        shards,
      );
      const rows = done.reduce((sum, table) => sum + table.rows, 0);
      await withDatabase((_, __, entries) =>
        entries.inAll({ object: { kind: "database", id: null }, counts: { tables: done.length, rows } }),
      );
      say(
        `${done.length} tables with ${rows} rows are distributed, and as many are there as before. Start the service again.`,
      );
    });
  citus
    .command("status")
    .description("say what is on which server of the cluster, and whether row security holds on all of them")
    .action(async () => {
      const status = await statusOf(coordinator());
      if (status === undefined) return say("This database is not distributed: docs/citus.md says when to, and how.");
      for (const line of statusLines(status)) say(line);
      if (status.open.length > 0 || status.servers.some(({ isActive }) => !isActive)) process.exitCode = 1;
    });
  citus
    .command("move")
    .requiredOption("--tenant <id>", "whose rows")
    .option("--to <server>", "where to, as status names it; by default the server with the least")
    .description(
      "move a tenant onto another server of the cluster: what it writes waits meanwhile; safe to repeat after it was cut off",
    )
    .action(async ({ tenant, to }: { tenant: string; to?: string }) => {
      const accountId = parseId("tenant", tenant);
      if (accountId === undefined) throw new Error("--tenant is no tenant's id");
      const moved = await moveTenant(coordinator(), { accountId, to }, say, () => performance.now());
      for (const { from, to: there, ms } of moved) say(`${from} to ${there}: ${(ms / 1_000).toFixed(1)} s`);
      if (moved.length === 0) return say("The tenant is there already.");
      await withDatabase((_, __, entries) =>
        entries.inAll({ object: { kind: "database", id: null }, counts: { moved: moved.length } }),
      );
    });
  return citus;
}

const MOST_SHARDS = 1_024;

function aShardCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_SHARDS)
    throw new InvalidArgumentError(`has to be a whole number from 1 to ${MOST_SHARDS}`);
  return count;
}

function coordinator(): string {
  const { databaseUrl } = readConfig();
  if (databaseUrl === undefined)
    throw new Error(
      "The embedded database stays on one server: set DATABASE_URL to the coordinator of a Citus cluster",
    );
  return databaseUrl;
}

const WHERE = { reference: "whole on every server", distributed: "by tenant", local: "back to the coordinator" };

const isDone = ({ policies, steps, copies }: Plan): boolean => policies + steps.length + copies.length === 0;

export function planLines(plan: Plan): string[] {
  const { what, missing, advice, policies, steps, done, copies } = plan;
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  const todo = [
    ...(policies > 0
      ? [`${policies} policies of row security are rewritten, to say the same in the form that Citus takes.`]
      : []),
    ...steps.map(({ name, place, bytes }) => `${name}: ${WHERE[place]}, ${megabytes(bytes)}`),
    ...(steps.length > 0
      ? [`${steps.length} tables with ${megabytes(bytes)} are left to distribute; ${done} are.`]
      : []),
    ...(copies.length > 0 ? [`The coordinator's copies of ${copies.length} tables are left to remove.`] : []),
  ];
  return [
    `The database is ${what}.`,
    ...missing.map((line) => `Missing: ${line}`),
    ...advice.map((line) => `Advice: ${line}`),
    ...(missing.length > 0 ? [] : todo.length > 0 ? todo : ["All tables are distributed: there is nothing to do."]),
  ];
}

export function statusLines({ servers, skew, open, left }: Status): string[] {
  return [
    ...servers.map(
      ({ name, isActive, isCoordinator, shards, bytes, tenants }) =>
        `${name}${isCoordinator ? " (coordinator)" : ""}: ${isActive ? "" : "NOT ACTIVE, "}${tenants} tenants, ${shards} shards, ${megabytes(bytes)}`,
    ),
    ...(skew === null ? [] : [`The largest has ${skew.toFixed(2)} of the mean.`]),
    ...(left.length > 0 ? [`On the coordinator alone: ${left.join(", ")}. Run \`parley citus distribute\`.`] : []),
    open.length === 0
      ? "Row security is forced on every shard."
      : `Row security is NOT forced on every shard of ${open.join(", ")}.`,
  ];
}
