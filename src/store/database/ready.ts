import { crossTenant, type Tx } from "./db.ts";
import { migrationNames } from "./migrate.ts";
import { objection } from "./needs.ts";

const readState = crossTenant(
  "read-ready-state",
  `select clock_timestamp() as at, array(select name from migrations) as done,
     (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'needs', needs_release) order by name), '[]')
      from migrations where needs_release is not null) as taken`,
);

type State = { at: Date; done: string[]; taken: { name: string; needs: string }[] };

let names: string[] | undefined;

/** What is wrong with the database, if anything, for this release where one is named, and how far its clock is from ours. Never throws. */
export async function check(
  tx: Tx,
  now: () => Date,
  release?: string,
): Promise<{ database: string | null; migrations: string | null; skewMs: number | null }> {
  try {
    const asked = now().getTime();
    const row = (await tx.first<State>(readState))!;
    // The answer was made somewhere between the two readings of our clock: what it may be off by then is no skew.
    const halfMs = (now().getTime() - asked) / 2;
    const apartMs = row.at.getTime() - (asked + halfMs);
    const skewMs = Math.sign(apartMs) * Math.max(0, Math.abs(apartMs) - halfMs);
    // This program's migrations are a folder that does not change under it.
    names ??= migrationNames();
    const missing = names.filter((name) => !row.done.includes(name));
    const lacks = missing.length > 0 ? `missing: ${missing.join(", ")}` : null;
    const wrong = release === undefined ? undefined : objection(release, row.taken);
    return { database: null, migrations: lacks ?? wrong ?? null, skewMs };
  } catch (error) {
    return { database: (error as Error).message, migrations: null, skewMs: null };
  }
}

const readOwner = crossTenant(
  "read-owner-at-work",
  `select rolname as role from pg_class join pg_roles on pg_roles.oid = relowner
   where relname = 'tenants' and relnamespace = current_schema()::regnamespace and rolname = current_user`,
);

/**
 * What is not as safe as it could be: we work as the owner of the tables, whom row security binds as any other, but who may take a
 * table out of it. Undefined where it is well, or where the database is away.
 */
export async function ownerWarning(tx: Tx): Promise<string | undefined> {
  const owner = await tx.first<{ role: string }>(readOwner).catch(() => undefined);
  if (owner === undefined) return undefined;
  const { role } = owner;
  return (
    `the service works as ${role}, which owns its tables and could take them out of row-level security; ` +
    `as a superuser "create role parley_app nologin" and "grant parley_app to ${role}", then start again`
  );
}
