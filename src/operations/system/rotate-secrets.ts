import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "#operations/context.ts";
import type { Tx } from "#store/database/db.ts";
import { keysInUse, sealAnew } from "#store/system/sealed-columns.ts";
import * as sealing from "#store/system/sealing.ts";

/** Rows of one column at a time: each is an update of its own, so a longer list would only keep more in memory. */
const BATCH_ROWS = 200;
/** A process says so often which keys it has; one that was silent for several times as long is gone. */
export const NOTE_KEYS_EVERY_MS = 2_000;
const GONE_AFTER_MS = 30_000;
/** By then each process has read the keys of the data directory several times. */
const KNOWN_WITHIN_MS = 15_000;
const POLL_MS = 200;

/** A running process says which sealing keys it has. */
export async function noteKeys(ctx: Context, name: string): Promise<void> {
  await sealing.note(ctx.db, { id: ctx.node.id, name, keys: ctx.sealingKeys.ids(), now: ctx.now() });
}

/** It ends, and is not waited for any more. */
export async function leaveKeys(ctx: Context): Promise<void> {
  await sealing.leave(ctx.db, ctx.node.id, goneBefore(ctx));
}

const goneBefore = (ctx: Context): Date => new Date(ctx.now().getTime() - GONE_AFTER_MS);

export type Rotation = { from: string; to: string; resealed: number };

/**
 * Goes over to the newest key and seals all secrets anew, while the service runs. Every running process has to have that key first: one that does
 * not is named in the error, and nothing has been sealed then. Safe to repeat, also when it was cut off. Undefined: that key counts already, and
 * nothing is sealed under another.
 */
export async function rotateSecrets(ctx: Context, knownWithinMs = KNOWN_WITHIN_MS): Promise<Rotation | undefined> {
  const keys = ctx.sealingKeys;
  const to = keys.ids().at(-1)!;
  const from = (await sealing.currentKey(ctx.db)) ?? keys.first;
  if (from !== to) {
    await mustBeKnown(ctx, to, knownWithinMs);
    await ctx.db.transaction((tx) => sealing.changeTo(tx, to));
  }
  let resealed = 0;
  for (;;) {
    const count = await sealAnew(ctx.db, keys, to, BATCH_ROWS);
    if (count === 0) break;
    resealed += count;
  }
  return from === to && resealed === 0 ? undefined : { from, to, resealed };
}

async function mustBeKnown(ctx: Context, keyId: string, withinMs: number): Promise<void> {
  for (const end = performance.now() + withinMs; ; await sleep(POLL_MS)) {
    const without = await sealing.without(ctx.db, keyId, goneBefore(ctx));
    if (without.length === 0) return;
    if (performance.now() < end) continue;
    const names = without.map(({ id, name }) => `${name} ${id}`).join(", ");
    throw new Error(
      `These processes do not have the new key ${keyId}: ${names}. Give each machine the same PARLEY_SEALING_KEYS (or sealing-keys file) and start it again; nothing was changed.`,
    );
  }
}

/** Why this process cannot read the database's secrets; undefined when it can. */
export async function missingKey(ctx: Pick<Context, "db" | "sealingKeys">): Promise<string | undefined> {
  const current = await sealing.currentKey(ctx.db);
  if (current === undefined || ctx.sealingKeys.ids().includes(current)) return undefined;
  return `PARLEY_SEALING_KEYS, or sealing-keys of the data directory, lacks the key ${current} that this database's secrets are sealed under: give it the keys of the other machines`;
}

export type Sealed = { current: string; known: readonly string[]; inUse: readonly string[] };

/** Under which keys things are sealed now. */
export async function readSealing({ db, sealingKeys }: Pick<Context, "sealingKeys"> & { db: Tx }): Promise<Sealed> {
  const current = (await sealing.currentKey(db)) ?? sealingKeys.first;
  return { current, known: sealingKeys.ids(), inUse: await keysInUse(db) };
}

/**
 * Has a key added, where none is there yet that is to be gone over to. One at a time: of two who add a key to one file at once the one may take the
 * other's away, under which everything is sealed by then.
 */
export function addNewKey({ db, sealingKeys }: Pick<Context, "db" | "sealingKeys">, add: () => void): Promise<void> {
  return db.transaction(async (tx) => {
    await sealing.lock(tx);
    const { current, known, inUse } = await readSealing({ db: tx, sealingKeys });
    const isUnfinished = known.at(-1) !== current || inUse.some((id) => id !== current && known.includes(id));
    if (!isUnfinished) add();
  });
}
