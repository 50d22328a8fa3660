import type { Uuid } from "#domain/values/id.ts";
import type { TrunkStore } from "#ports/number-inventory.ts";
import { crossTenant, type Db } from "#store/database/db.ts";

const takeNumber = crossTenant(
  "take-trunk-number",
  `insert into trunk_numbers (carrier, phone, owner) values ($1, $2, $3)
   on conflict (carrier, phone) do update set owner = excluded.owner where trunk_numbers.owner = excluded.owner`,
);
const giveBack = crossTenant(
  "give-back-trunk-number",
  "delete from trunk_numbers where carrier = $1 and phone = $2 and owner = $3",
);
const listOwners = crossTenant(
  "list-trunk-number-owners",
  "select phone, owner from trunk_numbers where carrier = $1 and phone = any($2::text[])",
);

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
