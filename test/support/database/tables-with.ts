import type pg from "pg";

/** Every table's row that holds one of these words, but for the simulated carrier's own records. */
export async function tablesWith(client: Pick<pg.Client, "query">, words: readonly string[]): Promise<string[]> {
  const { rows } = await client.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ('public', 'graphile_worker') and table_name not like 'simulator%'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await client.query(`select it::text as row from ${name} it where it::text ilike any($1)`, [
      words.map((word) => `%${word}%`),
    ]);
    for (const { row } of hits) found.push(`${name}: ${row}`);
  }
  return found;
}
