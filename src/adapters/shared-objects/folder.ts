import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { checkedName, ObjectsAway } from "#ports/object-store.ts";
import { digestsOf } from "./digests.ts";
import type { FarStore, NearObject } from "./far-store.ts";

/** Marks what is not whole yet: no name can end so. Several nodes may write the same. */
const unfinished = (path: string): string => `${path}~${process.pid}`;

/** A folder that every node has mounted. It is not made: an empty mount point is not the folder that is meant. */
export function folderStore(folder: string): FarStore {
  const pathOf = (name: string): string => join(folder, checkedName(name));

  async function read(name: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const file = await open(pathOf(name), "r").catch(absent);
    return file?.createReadStream(range && { start: range.start, end: Math.max(range.end - 1, range.start) });
  }

  async function isSame(path: string, near: NearObject): Promise<boolean> {
    const file = await open(path, "r").catch(absent);
    if (file === undefined) return false;
    const found = await digestsOf(file.createReadStream());
    return found.bytes === near.bytes && found.sha256 === near.sha256;
  }

  return {
    address: pathToFileURL(folder).href,
    read: (name, range) => away(() => read(name, range)),
    size: (name) =>
      away(async () => {
        // Of an unmounted folder nothing is known, least of all that an object is not there.
        await stat(folder);
        return (await stat(pathOf(name)).catch(absent))?.size;
      }),
    has: (name, near) => away(() => isSame(pathOf(name), near)),
    put: (name, near, signal) =>
      away(async () => {
        await stat(folder);
        const path = pathOf(name);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const part = unfinished(path);
        try {
          await pipeline(await near.open(), createWriteStream(part, { mode: 0o600, flush: true }), { signal });
          if (!(await isSame(part, near))) throw new ObjectsAway(`${name} did not arrive in the folder as it was sent`);
          await rename(part, path);
          await syncFolder(dirname(path));
        } finally {
          await rm(part, { force: true });
        }
      }),
    remove: (name) => away(() => rm(pathOf(name), { force: true })),
  } satisfies FarStore;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}

async function away<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new ObjectsAway(`the shared folder failed: ${syscall} ${code}`, { cause: error });
  }
}
