import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { type ObjectStore, ObjectsAway } from "#ports/object-store.ts";
import { digestsOf } from "./digests.ts";
import type { FarStore, NearObject } from "./far-store.ts";

/** An hour's recording is 58 MB: at 1 Mbit/s it takes eight minutes. What takes longer is begun again. */
const UPLOAD_WITHIN_MS = 10 * 60_000;
/** What a store may still do with a request after it was cut off. */
const LATE_MS = 2 * 60_000;

/** The disk of this machine. */
export type NearStore = ObjectStore & { names(before: Date): Promise<string[]> };

/** Objects that are written to this machine's disk, are moved to a shared store by whoever calls `shared`, and are read from wherever they are. */
export function stagedObjects(near: NearStore, far: FarStore, { uploadWithinMs = UPLOAD_WITHIN_MS } = {}): ObjectStore {
  let fresh = new Set<string>();
  return {
    // The disk first: what is not confirmed is nowhere else. Removed in between, it is in the shared store.
    read: async (name, range) => (await near.read(name, range)) ?? far.read(name, range),
    size: async (name) => (await near.size(name)) ?? far.size(name),
    async keep(name, file) {
      await near.keep(name, file);
      fresh.add(name);
    },
    async put(name, bytes) {
      await near.put(name, bytes);
      fresh.add(name);
    },
    async remove(name) {
      await near.remove(name);
      await far.remove(name);
    },
    shared: {
      address: far.address,
      settlesMs: uploadWithinMs + LATE_MS,
      fresh() {
        const names = [...fresh];
        fresh = new Set();
        return names;
      },
      left: (before) => near.names(before),
      async upload(name, signal) {
        const stream = await near.read(name);
        if (stream === undefined) return "gone";
        const object = { ...(await digestsOf(stream)), open: () => openAgain(near, name) };
        // By a process that died before it had the answer, or another of this machine.
        if (await far.has(name, object)) return "confirmed";
        await far.put(name, object, AbortSignal.any([signal, AbortSignal.timeout(uploadWithinMs)]));
        return "confirmed";
      },
      removeHere: (name) => near.remove(name),
      problem: () => problemOf(far),
    },
  } satisfies ObjectStore;
}

async function openAgain(near: NearStore, name: string): Promise<Readable> {
  const stream = await near.read(name);
  if (stream === undefined) throw new Error(`${name} was removed while it was uploaded`);
  return stream;
}

/** Not within any tenant's part: none is called so. */
const PROBES = "probes";

async function problemOf(far: FarStore): Promise<string | null> {
  const name = `${PROBES}/${randomUUID()}`;
  const bytes = Buffer.from(`written by parley at ${new Date().toISOString()}`);
  const digest = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
  const object: NearObject = {
    bytes: bytes.length,
    sha256: digest("sha256"),
    md5: digest("md5"),
    open: async () => Readable.from([bytes], { objectMode: false }),
  };
  try {
    // What is not there must be known not to be there: a store that refuses to say so has every recording called lost.
    if ((await far.size(name)) !== undefined) return "an object that was never written is there";
    await far.put(name, object, new AbortController().signal);
    const read = await far.read(name);
    if (read === undefined || (await digestsOf(read)).sha256 !== object.sha256)
      return "what was written is read otherwise";
    await far.remove(name);
    if ((await far.size(name)) !== undefined) return "what was removed is still there";
    return (await far.setupProblem?.()) ?? null;
  } catch (error) {
    if (error instanceof ObjectsAway) return error.message;
    throw error;
  }
}
