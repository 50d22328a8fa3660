import type pg from "pg";

/** `distributed`: by its tenant, beside the tenant's other rows. `reference`: whole on every server. `local`: on the coordinator alone. */
export type Place = "distributed" | "reference" | "local";

/**
 * What statements over tenants' rows ask as well. It is written on all servers or on none, so that while one of them is down nobody can: only what the
 * operator changes, and seldom.
 */
const REFERENCE: readonly string[] = ["service_calling_bans"];

/**
 * Tables that are looked into before the tenant is known, or that say whose something is, so that their keys cannot begin with the tenant. They stay on
 * the coordinator, where they can refer to no tenant's row: their foreign keys go.
 */
const LOOKED_UP: readonly string[] = [
  ...["api_keys", "sessions", "logins", "invitations", "carrier_account_owners", "lent_carriers", "lent_numbers"],
  ...["former_lent_numbers", "trunk_numbers"],
];

/** Those of the service itself. Nothing of a tenant is asked together with these, or with those above, in one statement. */
const LOCAL: readonly string[] = [
  ...["nodes", "cluster", "console_setup", "migrations", "guesses", "sealing_processes", "witnesses", "tenant_ids"],
  ...LOOKED_UP,
];

export type Table = {
  name: string;
  place: Place;
  /** The column that it is distributed by. */
  column: string | null;
  /** Those whose rows its own refer to. */
  parents: readonly string[];
  /** Its foreign keys to what others hold are to go. */
  isCutOff: boolean;
  /** What Citus does not take of it where it is to be distributed: indexes that are unique over all tenants. */
  wide: readonly string[];
};

type Found = Omit<Table, "place" | "isCutOff">;

const TABLES = `
  select class.relname::text as name, of_tenants.tenant::text as column,
    array(select distinct confrelid::regclass::text from pg_constraint
      where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as parents,
    array(select indexrelid::regclass::text from pg_index
      where indrelid = class.oid and indisunique and not (of_tenants.attnum = any(indkey::int2[]))) as wide
  from pg_class class
  left join lateral (
    select attribute.attname as tenant, attribute.attnum from tenant_tables() them
    join pg_attribute attribute on attribute.attrelid = them.name and attribute.attname = them.tenant
    where them.name = class.oid) of_tenants on true
  where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
  order by 1`;

/** Every table of the schema, in an order in which each comes after those that it refers to. */
export async function tables(client: Pick<pg.ClientBase, "query">): Promise<Table[]> {
  const { rows } = await client.query<Found>(TABLES);
  return inOrder(rows.map(({ column, ...found }) => ({ ...found, ...placeOf(found.name, column) })));
}

function placeOf(name: string, column: string | null): Pick<Table, "place" | "column" | "isCutOff"> {
  if (REFERENCE.includes(name)) return { place: "reference", column: null, isCutOff: true };
  const isCutOff = LOOKED_UP.includes(name);
  if (LOCAL.includes(name) || column === null) return { place: "local", column: null, isCutOff };
  return { place: "distributed", column, isCutOff };
}

/** First those whose foreign keys go, so that they stand by themselves. Then the tenants, beside whom all others are put. */
function inOrder(them: readonly Table[]): Table[] {
  const byName = new Map(them.map((table) => [table.name, table]));
  const done = new Set<Table>(them.filter(({ isCutOff }) => isCutOff));
  const open = new Set<Table>();
  const visit = (table: Table): void => {
    if (done.has(table)) return;
    if (open.has(table)) throw new Error(`the foreign keys of ${table.name} lead back to it`);
    open.add(table);
    for (const name of table.parents) visit(byName.get(name)!);
    done.add(table);
  };
  const tenants = them.filter(({ name }) => name === "tenants");
  for (const table of [...tenants, ...them]) visit(table);
  return [...done];
}

/** Why the schema cannot be distributed as it is; empty where it can. Every table has to be placed knowingly. */
export function faults(them: readonly Table[]): string[] {
  const placed = (name: string) => them.find((table) => table.name === name)!.place;
  return them.flatMap(({ name, place, parents, wide, isCutOff }) => {
    if (place === "distributed") return wide.map((index) => `${name}: ${index} is unique over all tenants`);
    if (place === "local" && !LOCAL.includes(name)) return [`${name} belongs to no tenant, and is not listed`];
    const lost = place === "local" && !isCutOff ? parents.filter((parent) => placed(parent) !== "local") : [];
    return lost.map((parent) => `${name} stays on the coordinator, and refers to ${parent}`);
  });
}
