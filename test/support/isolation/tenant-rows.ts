import type pg from "pg";

/** The statement that a client's database needs, which it plans once: it is asked hundreds of times. */
const statements = new WeakMap<pg.Client, string>();

/**
 * A digest of every row of every tenant, table by table: two that are equal had nothing written between them. Which key was used
 * when and what was asked are left out, since asking alone changes them, and the hash chain, which a worker adds to by itself.
 */
export async function digestOfRows(client: pg.Client): Promise<Record<string, string>> {
  const text = statements.get(client) ?? (await statementFor(client));
  statements.set(client, text);
  const { rows } = await client.query<{ name: string; digest: string }>({ name: "digest-of-rows", text });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** The system notes its own work as it does it, such as a start or the end of an import: that is nobody's asking. */
const UNASKED: Record<string, string> = { audit_entries: " where actor <> 'system'" };

async function statementFor(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct format('%I', table_name) as name from information_schema.columns
     where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'request_log'
       and left(table_name, 6) <> 'chain_'
     order by name`,
  );
  return rows
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(it, '' order by it)), '') as digest
         from (select md5((to_jsonb(t) - 'last_used_at')::text) as it from ${name} t${UNASKED[name] ?? ""}) rows`,
    )
    .join(" union all ");
}
