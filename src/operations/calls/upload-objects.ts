import { type ObjectOwner, ownerOfObject } from "#domain/system/object-name.ts";
import type { ObjectUploads } from "#domain/system/object-uploads.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import type { SharedObjects } from "#ports/object-store.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { type ObjectState, states } from "#store/calls/kept-objects.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as fence from "#store/system/fence.ts";
import { adoptStored } from "./adopt-recording.ts";

/** What another process of this machine has left, or this one before it began anew, is looked for this often. */
const LOOK_EVERY_MS = 60_000;
/** Younger files are in the hands of the process that wrote them, unless it has died. */
const LEFT_AFTER_MS = 30_000;
const AT_ONCE = 4;
/** After so many failures in a row the store is taken to be away, and nothing else is tried for a while. */
const AWAY_AFTER = 8;
const LEAST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;
/** Of what could not be uploaded so much is remembered; the rest is found on the disk again. */
const MOST_REMEMBERED = 10_000;
const NAMES_A_QUERY = 500;

/** As one process knows it; `problem`: what was wrong with the last attempt, or null where it went well. */
export type UploadState = ObjectUploads & { confirmed: number; problem: string | null };

export type Uploader = {
  /** One round: what is new, what failed before, from time to time what is left on the disk. Returns how long to wait until the next one. */
  round(signal: AbortSignal): Promise<number>;
  state(): UploadState;
};

/**
 * Moves what is kept on this machine's disk to the store that all nodes share. An object is uploaded once the database refers to it, and goes from the
 * disk once the store has confirmed it and the database still does. What it does not refer to any more goes from both. Any number of processes of one
 * machine may do this: what two of them upload is the same.
 */
export function objectUploader(ctx: Context, shared: SharedObjects): Uploader {
  const again = new Set<string>();
  let looked = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let confirmed = 0;
  let problem: string | null = null;

  const remember = (name: string): void => {
    if (again.size < MOST_REMEMBERED) again.add(name);
  };

  /** Whether nothing more is to be done about it. */
  async function settle(name: string, state: ObjectState, isLeft: boolean, signal: AbortSignal): Promise<boolean> {
    if (state === "waiting") return false;
    if (state === "nobody") return isLeft && removeNobodys(ctx, name);
    if (state === "unlinked") {
      if (isLeft) await adoptStored(ctx, name);
      return false;
    }
    if ((await shared.upload(name, signal)) === "gone") return true;
    failures = 0;
    problem = null;
    confirmed++;
    // Erased while it was on its way: whoever erased it may have been earlier than the upload.
    if ((await stateOf(ctx, name)) === "nobody") return removeNobodys(ctx, name);
    await shared.removeHere(name);
    return true;
  }

  async function attempt(name: string, state: ObjectState, isLeft: boolean, signal: AbortSignal): Promise<void> {
    if (failures >= AWAY_AFTER || signal.aborted) return remember(name);
    try {
      if (!(await settle(name, state, isLeft, signal))) remember(name);
    } catch (error) {
      remember(name);
      if (signal.aborted) return;
      failures++;
      if (problem === null || failures === AWAY_AFTER)
        ctx.log.warn({ err: error, object: name }, "an object could not be uploaded: it stays on this disk for now");
      problem = (error as Error).message;
    }
  }

  return {
    async round(signal) {
      const nowMs = ctx.now().getTime();
      const isLeft = new Map([...again, ...shared.fresh()].map((name) => [name, false]));
      for (const name of isLeft.keys()) remember(name);
      if (nowMs - looked >= LOOK_EVERY_MS) {
        for (const name of await shared.left(new Date(nowMs - LEFT_AFTER_MS))) isLeft.set(name, true);
        looked = nowMs;
      }
      // One attempt finds out whether a store that was away is back.
      failures = Math.min(failures, AWAY_AFTER - 1);
      const known = await statesOf(ctx, [...isLeft.keys()]);
      again.clear();
      const them = known.entries();
      const work = async () => {
        for (const [name, state] of them) await attempt(name, state, isLeft.get(name)!, signal);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return Math.min(MOST_WAIT_MS, LEAST_WAIT_MS * 2 ** failures);
    },
    state: () => ({ waiting: again.size, confirmed, failing: problem !== null, problem }),
  };
}

async function statesOf(ctx: Context, names: readonly string[]): Promise<Map<string, ObjectState>> {
  const found = new Map<string, ObjectState>();
  const owned = Map.groupBy(
    names.map((name) => ({ name, owner: ownerOfObject(name) })),
    ({ owner }) => owner && `${owner.tenantId} ${owner.kind}`,
  );
  for (const them of owned.values()) {
    for (const piece of piecesOf(them, NAMES_A_QUERY)) {
      const { tenantId, kind } = piece[0]!.owner ?? {};
      // What nothing of ours is called so is somebody's all the same.
      const known =
        tenantId &&
        (await states(
          ctx.db,
          tenantId,
          kind!,
          piece.map(({ owner }) => owner!.id),
          ctx.now(),
        ));
      for (const { name, owner } of piece) found.set(name, known ? known.get((owner as ObjectOwner).id)! : "kept");
    }
  }
  return found;
}

const stateOf = async (ctx: Context, name: string): Promise<ObjectState> => (await statesOf(ctx, [name])).get(name)!;

/** A database that was restored to an earlier day does not know what came after it: as long as it is fenced nothing is removed for that. */
async function removeNobodys(ctx: Context, name: string): Promise<boolean> {
  const { tenantId } = ownerOfObject(name)!;
  if ((await fence.read(ctx.db)).fenced_at !== null || !(await tenants.find(ctx.db, tenantId))) return false;
  await objectsToDelete.add(ctx.db, tenantId, [name], ctx.now());
  return (await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, [name], ctx.now())) === 1;
}
