/** A table that is read or changed, with its own name for it; a word that goes on with the statement is none. */
const MENTION =
  /\b(delete from|insert into|from|join|update)\s+(\w+)\b(?:\s+(?!(?:as|cross|for|full|group|having|inner|join|left|limit|natural|offset|on|order|returning|right|set|union|using|values|where)\b)(\w+)\b)?/g;

/** The distributed tables that a text mentions. */
export const mentioned = (text: string, tables: ReadonlyMap<string, string>): string[] =>
  [...text.matchAll(MENTION)].flatMap(([, , name]) => (tables.has(name!) ? [name!] : []));

/**
 * The same statement, of these tenants and no others: each of the tables shows it only their rows, and so a distributed database asks no server but theirs.
 * The tenants' ids are its last value. `tables` names each table's column of the tenant. Undefined where it adds rows: whose they are cannot be seen in it.
 * Of ours alone: a change's first `where` has to be its own, and joined by `and`.
 */
export function ofSomeTenants(text: string, tables: ReadonlyMap<string, string>): string | undefined {
  const last = Math.max(0, ...[...text.matchAll(/\$(\d{1,3})/g)].map(([, n]) => Number(n)));
  const them = `any($${last + 1}::uuid[])`;
  const conditions: string[] = [];
  let isAdding = false;
  const read = text.replace(MENTION, (whole, verb: string, name: string, alias = name) => {
    const column = tables.get(name);
    if (column === undefined) return whole;
    if (verb === "insert into") isAdding = true;
    if (verb === "insert into" || verb === "update" || verb === "delete from") {
      conditions.push(`${alias}.${column} = ${them}`);
      return whole;
    }
    return `${verb} (select * from ${name} where ${column} = ${them}) ${alias}`;
  });
  if (isAdding || conditions.length > 1) return undefined;
  const [condition] = conditions;
  if (condition === undefined) return read;
  const at = endOfChange(read);
  return at === undefined ? undefined : `${read.slice(0, at)} ${condition} and${read.slice(at)}`;
}

/** Where the condition of a change begins: after the first `where` that stands in no brackets. */
function endOfChange(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/[()]|\bwhere\b/g)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (depth === 0) return index + token.length;
  }
  return undefined;
}
