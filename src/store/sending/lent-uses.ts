import type { LentUse } from "#domain/sending/lent-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, type Tx } from "#store/database/db.ts";

// What a tenant has sent by an account that it was lent. A claim locks its lane first, then this, then the day's spending and what comes after it:
// always in this order. Who begins calls, or takes them, holds it while it counts those that go on.

const DAY_MS = 86_400_000;

// The day as a number: a distributed database returns no text of one from what it writes.
const lockUse = changing(
  "lock-use-of-lent-carrier",
  `insert into lent_carrier_uses (tenant_id, carrier, tokens, tokens_at, day, texts) values ($1, $2, $3, $4, $5::date, 0)
   on conflict (tenant_id, carrier) do update set texts = lent_carrier_uses.texts
   returning tokens, tokens_at, day - date '1970-01-01' as days, texts`,
);

/** As it is now, locked until the transaction ends; `unused` where nothing was sent yet. */
export async function lock(tx: Tx, tenantId: Uuid, carrier: string, unused: LentUse): Promise<LentUse> {
  const { tokens, tokens_at, day } = unused;
  type Row = Omit<LentUse, "day"> & { days: number };
  const { days, ...use } = (await tx.first<Row>(lockUse, [tenantId, carrier, tokens, tokens_at, day]))!;
  return { ...use, day: new Date(days * DAY_MS).toISOString().slice(0, 10) };
}

const writeUse = changing(
  "write-use-of-lent-carrier",
  `update lent_carrier_uses set tokens = $3, tokens_at = $4, day = $5::date, texts = $6 where tenant_id = $1 and carrier = $2`,
);

/** For who has it locked. */
export async function write(tx: Tx, tenantId: Uuid, carrier: string, use: LentUse): Promise<void> {
  await tx.run(writeUse, [tenantId, carrier, use.tokens, use.tokens_at, use.day, use.texts]);
}

const giveBack = changing(
  "give-back-use-of-lent-carrier",
  `update lent_carrier_uses set texts = greatest(0, texts - $4) where tenant_id = $1 and carrier = $2 and day = $3::date`,
);

/** So many of a day's texts did not leave after all. With the commit. */
export async function unsent(tx: Tx, tenantId: Uuid, carrier: string, day: string, texts: number): Promise<void> {
  if (texts > 0) await tx.atCommit(giveBack, [tenantId, carrier, day, texts]);
}
