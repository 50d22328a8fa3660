import type { KeyObject } from "node:crypto";
import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";

/** Where a sealed value stands in the database. Moved to another place it does not open. `column` names a field of a JSON object after a dot. */
export type SealedPlace = { table: string; tenantId: Uuid; row: string; column: string };

/** The keys that secrets are sealed under: AES-256-GCM with a random nonce, the key's id in front. */
export type SealingKeys = {
  /** The key that seals while the database names none. */
  readonly first: string;
  /** Of all keys that this process has, the newest last. */
  ids(): readonly string[];
  /** Throws one sentence when this process does not have the key. */
  seal(keyId: string, text: string, place: SealedPlace): string;
  /** What was sealed there, under whichever key. Throws when it was changed or moved, or its key is not here. */
  open(sealed: string, place: SealedPlace): string;
  /** The Ed25519 key that evidence is signed with while the key of this id seals: made from it, and so the same in all processes. */
  signer(keyId: string): KeyObject;
};

const holdKey = crossTenant("hold-sealing-key", "select sealing_key from cluster for key share");

/**
 * Seals a secret under the key that counts now, and keeps that key until the transaction ends: once another key counts, nothing comes in under the
 * former one any more. To be written in the same transaction, to a column of `sealed-columns.ts`.
 */
export async function seal(tx: Tx, keys: SealingKeys, text: string, place: SealedPlace): Promise<string> {
  const held = (await tx.first<{ sealing_key: string | null }>(holdKey))!.sealing_key;
  return keys.seal(held ?? keys.first, text, place);
}

const readKey = crossTenant("read-sealing-key", "select sealing_key from cluster");

/** The id of the key that counts now; undefined: the one that is derived from the secret key. */
export async function currentKey(tx: Tx): Promise<string | undefined> {
  return (await tx.first<{ sealing_key: string | null }>(readKey))!.sealing_key ?? undefined;
}

const lockKey = crossTenant("lock-sealing-key", "select from cluster for update");
const changeKey = crossTenantChanging("change-sealing-key", "update cluster set sealing_key = $1");

/** Keeps everybody from sealing, and from going over to another key, until the transaction ends. */
export async function lock(tx: Tx): Promise<void> {
  await tx.run(lockKey);
}

/** From the commit on secrets are sealed under this key. Waits for all who are sealing under the former one. In a transaction. */
export async function changeTo(tx: Tx, keyId: string): Promise<void> {
  await tx.run(lockKey);
  await tx.run(changeKey, [keyId]);
}

const noteProcess = crossTenantChanging(
  "note-sealing-process",
  `insert into sealing_processes (id, name, keys, seen_at) values ($1, $2, $3, $4)
   on conflict (id) do update set keys = excluded.keys, seen_at = excluded.seen_at`,
);

/** A running process has these keys now. */
export async function note(
  tx: Tx,
  process: { id: Uuid; name: string; keys: readonly string[]; now: Date },
): Promise<void> {
  await tx.run(noteProcess, [process.id, process.name, process.keys, process.now]);
}

const leaveProcess = crossTenantChanging(
  "leave-sealing-process",
  "delete from sealing_processes where id = $1 or seen_at < $2",
);

/** A process ends. With it go those that were last seen before a time. */
export async function leave(tx: Tx, id: Uuid, seenBefore: Date): Promise<void> {
  await tx.run(leaveProcess, [id, seenBefore]);
}

const listWithout = crossTenant(
  "list-processes-without-sealing-key",
  "select id, name from sealing_processes where seen_at >= $2 and not ($1 = any(keys)) order by name, id",
);

/** Processes seen since a time that do not have a key. */
export function without(tx: Tx, keyId: string, since: Date): Promise<{ id: Uuid; name: string }[]> {
  return tx.rows<{ id: Uuid; name: string }>(listWithout, [keyId, since]);
}
