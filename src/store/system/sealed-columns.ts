import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, type Statement, type Tx } from "#store/database/db.ts";
import type { SealedPlace, SealingKeys } from "./sealing.ts";

/**
 * A column that holds sealed secrets. `row` is what its row is named by in the place that it is sealed under, unique within a tenant. `holds`
 * is one text, or a JSON object with one text a field. `sealedAs` is the column that it is copied from, and so sealed under.
 */
type SealedColumn = { table: string; row: string; column: string; holds: "text" | "fields"; sealedAs?: string };

/** All of them. Each new secret of the database belongs here: `parley secret rotate` seals these anew. A test finds those that are not. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "carrier_accounts", row: "carrier", column: "credentials", holds: "fields" },
  { table: "carrier_accounts", row: "carrier", column: "former_credentials", holds: "fields", sealedAs: "credentials" },
  { table: "factors", row: "id", column: "secret", holds: "text" },
  { table: "identity_providers", row: "id", column: "client_secret", holds: "text" },
];

type Known = SealedColumn & { others: Statement; ids: Statement; change: Statement };
type Found = { tenant_id: Uuid; row: string; sealed: string };

const known: readonly Known[] = SEALED_COLUMNS.map((sealed) => {
  const { table, row, column, holds } = sealed;
  const name = `${table}-${column}`.replaceAll("_", "-");
  const isOther = {
    text: `${column} not like $1 || '.%'`,
    fields: `exists (select from jsonb_each_text(${column}) as field where field.value not like $1 || '.%')`,
  }[holds];
  const each = {
    text: `select ${column} as value from ${table} where ${column} is not null`,
    fields: `select field.value from ${table}, jsonb_each_text(${column}) as field where ${column} is not null`,
  }[holds];
  const type = holds === "text" ? "text" : "jsonb";
  return {
    ...sealed,
    others: crossTenant(
      `list-otherwise-sealed-${name}`,
      `select tenant_id, ${row}::text as row, ${column}::text as sealed from ${table}
       where ${column} is not null and ${isOther} order by tenant_id, ${row} limit $2`,
    ),
    ids: crossTenant(
      `list-sealing-keys-of-${name}`,
      `select distinct split_part(value, '.', 1) as id from (${each}) as it`,
    ),
    change: changing(
      `seal-anew-${name}`,
      `update ${table} set ${column} = $4::${type} where tenant_id = $1 and ${row}::text = $2 and ${column} = $3::${type}`,
    ),
  };
});

/** The ids of all keys that something is sealed under. */
export async function keysInUse(tx: Tx): Promise<string[]> {
  const all = await Promise.all(known.map(({ ids }) => tx.rows<{ id: string }>(ids)));
  return [...new Set(all.flat().map(({ id }) => id))].sort();
}

/**
 * Seals up to `limit` rows of each column anew that are sealed under another key. One that was changed meanwhile stays as it is, for the next time.
 * Answers with how many there were; 0: nothing is left.
 */
export async function sealAnew(tx: Tx, keys: SealingKeys, keyId: string, limit: number): Promise<number> {
  let count = 0;
  for (const column of known) {
    const rows = await tx.rows<Found>(column.others, [keyId, limit]);
    count += rows.length;
    await Promise.all(
      rows.map((row) => tx.run(column.change, [row.tenant_id, row.row, row.sealed, anew(keys, keyId, column, row)])),
    );
  }
  return count;
}

function anew(keys: SealingKeys, keyId: string, column: Known, { tenant_id, row, sealed }: Found): string {
  const again = (text: string, place: SealedPlace) => keys.seal(keyId, keys.open(text, place), place);
  const place = { table: column.table, tenantId: tenant_id, row, column: column.sealedAs ?? column.column };
  if (column.holds === "text") return again(sealed, place);
  const fields = Object.entries(JSON.parse(sealed) as Record<string, string>).map(([field, text]) => [
    field,
    again(text, { ...place, column: `${place.column}.${field}` }),
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}
