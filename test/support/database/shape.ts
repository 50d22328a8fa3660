import type pg from "pg";

/** What programs use of a schema, one line each, by what it is called: a line that is gone is one that a program may miss. */
export type Shape = { uses: Map<string, string>; limits: Map<string, Limit> };
/** What a row has to be, in words. `columns`: those that are looked at. */
type Limit = { table: string; columns: readonly string[]; says: string };

const TABLES = `select class.oid, class.relname as name from pg_class class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')`;

const COLUMNS = `select tables.name as table, attname as column, format_type(atttypid, atttypmod) as type, attnotnull as required,
    atthasdef or attidentity <> '' as filled
  from (${TABLES}) as tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped`;

const FUNCTIONS = `select proname || '(' || pg_get_function_identity_arguments(oid) || ')' as name, pg_get_function_result(oid) as result
  from pg_proc where pronamespace = current_schema()::regnamespace`;

const UNIQUE = `select tables.name as table, regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') as says,
    array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey::int2[])) as columns
  from (${TABLES}) as tables join pg_index on indrelid = tables.oid and indisunique`;

const CHECKED = `select tables.name as table, pg_get_constraintdef(pg_constraint.oid) as says,
    array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
  from (${TABLES}) as tables join pg_constraint on conrelid = tables.oid and contype in ('c', 'f', 'x')`;

/** Reads the schema that a session works in. */
export async function shapeOf(session: Pick<pg.ClientBase, "query">): Promise<Shape> {
  const ask = async <T extends pg.QueryResultRow>(text: string) => (await session.query<T>(text)).rows;
  const uses = new Map<string, string>();
  const limits = new Map<string, Limit>();
  for (const { name } of await ask<{ name: string }>(TABLES)) uses.set(`table ${name}`, "");
  type Column = { table: string; column: string; type: string; required: boolean; filled: boolean };
  for (const { table, column, type, required, filled } of await ask<Column>(COLUMNS)) {
    uses.set(`column ${table}.${column}`, type);
    if (required && !filled)
      limits.set(`${table}.${column} is written by everybody`, {
        table,
        columns: [column],
        says: "written by everybody",
      });
    if (required) limits.set(`${table}.${column} is never null`, { table, columns: [column], says: "never null" });
  }
  for (const { name, result } of await ask<{ name: string; result: string }>(FUNCTIONS))
    uses.set(`function ${name}`, result);
  for (const { table, columns, says } of await ask<Limit>(UNIQUE)) {
    uses.set(`unique ${table} ${says}`, "");
    limits.set(`unique ${table} ${says}`, { table, columns, says });
  }
  for (const { table, columns, says } of await ask<Limit>(CHECKED))
    limits.set(`${table} ${says}`, { table, columns, says });
  return { uses, limits };
}

/**
 * What of a change keeps a program that knows only the schema before from working over the one after, in words: what it uses and is gone, and what is
 * asked of rows of its tables that was not.
 */
export function breaks(before: Shape, after: Shape): string[] {
  const isOfGone = (name: string) => {
    const [, table] = /^(?:column|unique) (\w+)/.exec(name) ?? [];
    return table !== undefined && !after.uses.has(`table ${table}`);
  };
  const gone = [...before.uses]
    .filter(([name, says]) => after.uses.get(name) !== says && !isOfGone(name))
    .map(([name, says]) => (after.uses.has(name) ? `${name} was ${says}` : `${name} is gone`));
  const newly = [...after.limits]
    .filter(([name, limit]) => !before.limits.has(name) && binds(before, limit))
    .filter(([, limit]) => ![...before.limits.values()].some((was) => isWider(was, limit)))
    .map(([name]) => `new: ${name}`);
  return [...gone, ...newly];
}

/** Whether rows are bound that a program before writes. It leaves new columns as they are by themselves: null mostly, which is unique and refers to nothing. */
function binds(before: Shape, { table, columns, says }: Limit): boolean {
  if (!before.uses.has(`table ${table}`)) return false;
  const isOld = (column: string) => before.uses.has(`column ${table}.${column}`);
  if (says === "written by everybody") return true;
  return says.startsWith("CHECK") ? columns.length === 0 || columns.some(isOld) : columns.every(isOld);
}

const LITERAL = /'(?:[^']|'')*'::\w+(?:, )?/g;

/** The same rule with more words to choose from. */
function isWider(was: Limit, is: Limit): boolean {
  const [before, after] = [was, is].map(
    ({ says }) => says.match(LITERAL)?.map((word) => word.replace(/, $/, "")) ?? [],
  );
  return (
    was.table === is.table &&
    was.columns.join() === is.columns.join() &&
    was.says.replaceAll(LITERAL, "") === is.says.replaceAll(LITERAL, "") &&
    before!.every((word) => after!.includes(word))
  );
}
