import type pg from "pg";

type Session = Pick<pg.ClientBase, "query">;

export type Policy = {
  table: string;
  name: string;
  using: string | null;
  check: string | null;
};

const POLICIES = `
  select polrelid::regclass::text as table, polname::text as name,
    pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check
  from pg_policy join pg_class on pg_class.oid = polrelid
  where relnamespace = current_schema()::regnamespace order by 1, 2`;

const SELECT = "( SELECT ";

/**
 * The same condition, its settings read for each row. As written they are read in selects of their own, once a statement: PostgreSQL prints
 * such a one as `( SELECT it AS name)`. Citus takes no select in a policy.
 */
export function withoutSelects(condition: string): string {
  const from = condition.indexOf(SELECT);
  if (from < 0) return condition;
  let depth = 1;
  let to = from + SELECT.length;
  for (; to < condition.length && depth > 0; to++) {
    if (condition[to] === "(") depth++;
    if (condition[to] === ")") depth--;
  }
  const inner = condition.slice(from + SELECT.length, to - 1).replace(/ AS "?\w{1,63}"?$/, "");
  return `${condition.slice(0, from)}(${inner})${withoutSelects(condition.slice(to))}`;
}

/** The policies that read a setting in a select of its own. */
export async function policiesWithSelects(session: Session): Promise<Policy[]> {
  const { rows } = await session.query<Policy>(POLICIES);
  return rows.filter(({ using, check }) => /\bselect\b/i.test(`${using} ${check}`));
}

/** Has every policy say the same without a select; fails where it cannot, and changes nothing then. Answers with how many it changed. */
export async function rewritePolicies(session: Session): Promise<number> {
  const them = await policiesWithSelects(session);
  await session.query("begin");
  try {
    for (const { table, name, using, check } of them) {
      const using_ = using === null ? "" : ` using (${withoutSelects(using)})`;
      const check_ = check === null ? "" : ` with check (${withoutSelects(check)})`;
      await session.query(`alter policy "${name}" on "${table}"${using_}${check_}`);
    }
    const [left] = await policiesWithSelects(session);
    if (left)
      throw new Error(
        `the policy ${left.name} of ${left.table} cannot be said without a select: ${left.using ?? left.check}`,
      );
    await session.query("commit");
  } catch (error) {
    await session.query("rollback").catch(() => {});
    throw error;
  }
  return them.length;
}
