import { type Chained, type ChainHead, emptyChain, linked } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "./db.ts";

// Records join their tenant's hash chain soon after they are committed, in the order in which they are found: as events get their numbers. Whoever
// writes a record only adds a row to `chain_waiting`, and so never waits for another's transaction. Whoever links holds the lock of the chain's head.

/** Small enough that its hashes are a few milliseconds. */
const ROWS_AT_ONCE = 2_000;

/** Of a statement that writes a record: `from` is what its record was read from, so that one that was not written does not wait either. */
export const waitFor = (kind: string, { ref, digest, from }: { ref: string; digest: string; from: string }): string =>
  `insert into chain_waiting (tenant_id, kind, ref, digest) select $1, '${kind}', ${ref}, ${digest} from ${from} on conflict do nothing`;

const waitingTenants = crossTenant(
  "tenants-with-waiting-chains",
  `with recursive found as (
     (select tenant_id from chain_waiting order by tenant_id limit 1)
     union all
     select (select tenant_id from chain_waiting where tenant_id > found.tenant_id order by tenant_id limit 1)
     from found where found.tenant_id is not null)
   select tenant_id from found where tenant_id is not null limit 1000`,
  "select distinct tenant_id from chain_waiting limit 1000",
);

/** Tenants with records that are not linked yet. */
export async function waiting(tx: Tx): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(waitingTenants)).map((row) => row.tenant_id);
}

const LOCK_HEAD = "select seq::float8 as seq, hash from chain_heads where tenant_id = $1 for update";
const lockFreeHead = statement("lock-free-chain-head", `${LOCK_HEAD} skip locked`);
const lockHead = statement("lock-chain-head", LOCK_HEAD);

// Where there is one it is not tried: that would wait for whoever has it locked.
const makeHead = changing(
  "make-chain-head",
  `insert into chain_heads (tenant_id, seq, hash)
   select $1, 0, $2::bytea where not exists (select from chain_heads where tenant_id = $1) on conflict (tenant_id) do nothing`,
);

const readWaiting = statement(
  "list-chain-waiting",
  `select kind, ref, digest from chain_waiting where tenant_id = $1 order by kind, ref limit ${ROWS_AT_ONCE}`,
);

const insertLinks = changing(
  "insert-chain-links",
  `insert into chain_links (tenant_id, seq, kind, ref, digest, hash, linked_at)
   select $1, it.seq, it.kind, it.ref, it.digest, it.hash, $7
   from unnest($2::bigint[], $3::text[], $4::uuid[], $5::bytea[], $6::bytea[]) as it (seq, kind, ref, digest, hash)
   on conflict (tenant_id, seq) do nothing`,
);

const dropWaiting = changing(
  "drop-chain-waiting",
  `delete from chain_waiting waiting using unnest($2::text[], $3::uuid[]) as it (kind, ref)
   where waiting.tenant_id = $1 and waiting.kind = it.kind and waiting.ref = it.ref`,
);

const moveHead = changing("move-chain-head", "update chain_heads set seq = $2, hash = $3 where tenant_id = $1");

/**
 * Links what a tenant has committed, unless another is at it; true when there is more. To be run in a transaction. `waits` for another that is at it, for
 * who needs all of it linked.
 */
export async function link(tx: Tx, tenantId: Uuid, now: Date, { waits = false } = {}): Promise<boolean> {
  const locked = await tx.first<{ seq: number; hash: Buffer }>(waits ? lockHead : lockFreeHead, [tenantId]);
  // Another has it, or it is the tenant's first.
  if (!locked) return (await tx.run(makeHead, [tenantId, emptyChain(tenantId).hash])) === 1;
  // A statement of its own: what the last one linked is committed and seen, since its lock was waited for or was free.
  const found = await tx.rows<Chained>(readWaiting, [tenantId]);
  if (found.length === 0) return false;
  let head = locked;
  const heads = found.map((each) => {
    head = linked(head, each);
    return head;
  });
  const kinds = found.map(({ kind }) => kind);
  const refs = found.map(({ ref }) => ref);
  const written = await tx.run(insertLinks, [
    tenantId,
    heads.map(({ seq }) => seq),
    kinds,
    refs,
    found.map(({ digest }) => digest),
    heads.map(({ hash }) => hash),
    now,
  ]);
  // Nothing but a head that was set back could make them fewer: nothing is written over.
  if (written !== found.length) throw new Error(`the chain of tenant ${tenantId} goes on behind its head`);
  await tx.run(dropWaiting, [tenantId, kinds, refs]);
  await tx.run(moveHead, [tenantId, head.seq, head.hash]);
  return found.length === ROWS_AT_ONCE;
}

const readHead = statement("read-chain-head", "select seq::float8 as seq, hash from chain_heads where tenant_id = $1");

/** Where a tenant's chain ends; undefined before its first link. */
export const head = (tx: Tx, tenantId: Uuid): Promise<ChainHead | undefined> =>
  tx.first<ChainHead>(readHead, [tenantId]);

const hashesOfLinks = statement(
  "hashes-of-chain-links",
  "select seq::float8 as seq, encode(hash, 'hex') as hash from chain_links where tenant_id = $1 and seq = any($2::bigint[])",
);

/** The hashes of those of a chain's links that are there. */
export async function hashesAt(tx: Tx, tenantId: Uuid, seqs: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.rows<{ seq: number; hash: string }>(hashesOfLinks, [tenantId, seqs]);
  return new Map(rows.map(({ seq, hash }) => [seq, hash]));
}

const allHeads = crossTenant(
  "list-chain-heads",
  "select tenant_id, seq::float8 as seq, hash from chain_heads where tenant_id > $1 and seq > 0 order by tenant_id limit 1000",
);

/** Where each tenant's chain ends, some at a time. */
export const heads = (tx: Tx, after: Uuid): Promise<(ChainHead & { tenant_id: Uuid })[]> => tx.rows(allHeads, [after]);

const movedHeads = crossTenant(
  "list-moved-chain-heads",
  "select tenant_id, seq::float8 as seq, hash from chain_heads where seq > journaled_seq order by tenant_id limit 1000",
);

/** Chains that have grown since their heads were last written down. */
export const moved = (tx: Tx): Promise<(ChainHead & { tenant_id: Uuid })[]> => tx.rows(movedHeads);

const noteJournaled = changing(
  "note-journaled-chain-head",
  "update chain_heads set journaled_seq = $2 where tenant_id = $1 and journaled_seq < $2",
);

export async function journaled(tx: Tx, tenantId: Uuid, seq: number): Promise<void> {
  await tx.run(noteJournaled, [tenantId, seq]);
}
