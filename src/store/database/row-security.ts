import type pg from "pg";

// Rows are kept apart by the policies of 0005-row-security.sql. They bind neither a superuser nor a role that bypasses them,
// nor the tables' owner unless they are forced: so they are forced, and where there is the role `parley_app` the service
// works as that.

/** The database does not keep tenants apart. Nothing may be served from it; the message says what to do. */
export class UnprotectedError extends Error {
  override name = "UnprotectedError";
}

/** Needs no more than a connection: what a pool and a lone client have in common. */
type Session = Pick<pg.ClientBase, "query">;

// Since PostgreSQL 16 a member may be one without the right to become the role.
const becomeApp = (isLocal: boolean): string => `select set_config('role', rolname, ${isLocal}) from pg_roles
  where rolname = 'parley_app' and pg_has_role(session_user, oid,
    case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end)`;

const AM_I_BOUND = `select rolname as role, rolsuper or rolbypassrls as bypasses, current_setting('app.tenant', true) as tenant
  from pg_roles where rolname = current_user`;

/**
 * Makes a new session one that row security binds, in one round trip. Fails with UnprotectedError when it cannot be: then the
 * session must not be used.
 */
export async function enter(session: Session): Promise<void> {
  const [, { rows }] = await Promise.all([session.query(becomeApp(false)), session.query<Bound>(AM_I_BOUND)]);
  mustBind(rows[0]!);
}

/**
 * The same of a session that others have between its transactions: what has to open each of them for row security to bind it. Fails as `enter` does.
 */
export async function enterEach(session: Session): Promise<string[]> {
  const [, became, { rows }] = await Promise.all([
    session.query("begin"),
    session.query(becomeApp(true)),
    session.query<Bound>(AM_I_BOUND),
    session.query("rollback"),
  ]);
  mustBind(rows[0]!);
  return became.rowCount === 0 ? [] : ["set local role parley_app"];
}

type Bound = { role: string; bypasses: boolean; tenant: string | null };

function mustBind({ role, bypasses, tenant }: Bound): void {
  if (bypasses) {
    throw new UnprotectedError(
      `The database role ${role} bypasses row-level security: connect as the database's owner, or let that role become parley_app`,
    );
  }
  if (tenant !== null && tenant !== "") {
    throw new UnprotectedError(
      "app.tenant is preset for this database or role: reset it, since it opens every session",
    );
  }
}

const OPEN_TABLES = `select coalesce(array_agg(class.relname::text order by class.relname), '{}') as tables
  from tenant_tables() of_tenants join pg_class class on class.oid = of_tenants.name
  where not (class.relrowsecurity and class.relforcerowsecurity
      and exists (select from pg_policy where polrelid = class.oid and polname = 'tenant'
        and pg_get_expr(polqual, polrelid) like '%app.tenant%' and pg_get_expr(polwithcheck, polrelid) like '%app.tenant%')
      and not exists (select from pg_policy where polrelid = class.oid and polname <> 'tenant' and polpermissive))`;

/** Puts every table of tenants under the policies; to be called with the right to change them. */
export async function protect(session: Session): Promise<void> {
  await session.query("select protect_tenant_tables()");
}

/** Fails with UnprotectedError unless every table of tenants is under the policies and the service is bound by them. */
export async function mustBeProtected(session: Session): Promise<void> {
  const { rows } = await session.query<{ tables: string[] }>(OPEN_TABLES);
  const [{ tables }] = rows as [{ tables: string[] }];
  if (tables.length > 0) {
    throw new UnprotectedError(
      `Row-level security is not forced for ${tables.join(", ")}: run "parley migrate" as the database's owner`,
    );
  }
  await mustBeBound(session);
}

/** Fails with UnprotectedError unless the service will be bound by the policies, whatever tables there are. */
export async function mustBeBound(session: Session): Promise<void> {
  await session.query("select set_config('app.tenant', '', false)");
  await enter(session);
}
