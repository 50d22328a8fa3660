import type { Uuid } from "#domain/values/id.ts";
import type { TrunkStore } from "#ports/number-inventory.ts";
import { crossTenant, crossTenantChanging, type Db, type Tx } from "#store/database/db.ts";

const takeNumber = crossTenantChanging(
  "take-trunk-number",
  `insert into trunk_numbers (carrier, phone, owner) values ($1, $2, $3)
   on conflict (carrier, phone) do update set owner = excluded.owner where trunk_numbers.owner = excluded.owner`,
);
const giveBack = crossTenantChanging(
  "give-back-trunk-number",
  "delete from trunk_numbers where carrier = $1 and phone = $2 and owner = $3",
);
const listOwners = crossTenant(
  "list-trunk-number-owners",
  "select phone, owner from trunk_numbers where carrier = $1 and phone = any($2::text[])",
);

/** The stock, in the place of a trunk of the service, of the numbers that tenants have on trunks of their own. */
const TENANTS_TRUNKS = "accounts";

const takeNumbers = crossTenantChanging(
  "take-numbers-of-tenants-trunk",
  `insert into trunk_numbers (carrier, phone, owner) select '${TENANTS_TRUNKS}', it.phone, $1 from unnest($2::text[]) as it (phone)
   on conflict (carrier, phone) do update set owner = excluded.owner where trunk_numbers.owner = excluded.owner
   returning phone`,
);

/**
 * Numbers that a tenant says its own trunk has: nobody can check that, and calls to a number are one tenant's. Returns those that are no other's,
 * which are this tenant's from now on. In a transaction; they are locked in their order.
 */
export async function claim(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ phone: string }>(takeNumbers, [tenantId, [...phones].sort()]);
  return new Set(rows.map(({ phone }) => phone));
}

const freeNumbers = crossTenantChanging(
  "free-numbers-of-tenants-trunk",
  `delete from trunk_numbers where carrier = '${TENANTS_TRUNKS}' and owner = $1 and phone <> all($2::text[])`,
);

/** Others may have those that a tenant has no more. */
export async function keepOnly(tx: Tx, tenantId: Uuid, kept: Iterable<string>): Promise<void> {
  await tx.run(freeNumbers, [tenantId, [...kept]]);
}

/** The operator's records of a trunk's numbers, over all tenants. */
export function trunkStore(db: Db): TrunkStore {
  return {
    take: async (carrier, phone, tenantId) => (await db.run(takeNumber, [carrier, phone, tenantId])) === 1,
    giveBack: async (carrier, phone, tenantId) => {
      await db.run(giveBack, [carrier, phone, tenantId]);
    },
    async owners(carrier, phones) {
      const rows = await db.rows<{ phone: string; owner: Uuid }>(listOwners, [carrier, phones]);
      return new Map(rows.map((row) => [row.phone, row.owner]));
    },
  };
}
