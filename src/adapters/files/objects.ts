import { constants } from "node:fs";
import { chmod, copyFile, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ObjectStore } from "#ports/object-store.ts";

/** A part begins with a letter or digit: neither `..` nor a file that is hidden can be named. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}(\/[A-Za-z0-9][A-Za-z0-9_.-]{0,199}){0,7}$/;

/** Marks what is not whole yet: no name can end so, since a part never has it. */
const UNFINISHED = "~";

/** Objects as files of one folder, which is made when the first of them comes. */
export function objectFolder(folder: string): ObjectStore {
  const pathOf = (name: string): string => {
    // Names are ours; one that is not must not become a path.
    if (!NAME.test(name)) throw new Error("not the name of an object");
    return join(folder, name);
  };

  return {
    async read(name, range) {
      const file = await open(pathOf(name), "r").catch(absent);
      // The stream closes it. An empty range has no last byte to name.
      return file?.createReadStream(range && { start: range.start, end: Math.max(range.end - 1, range.start) });
    },
    async size(name) {
      const found = await stat(pathOf(name)).catch(absent);
      return found?.isFile() ? found.size : undefined;
    },
    async keep(name, file) {
      const path = pathOf(name);
      const settled = await makeFolder(dirname(path));
      await sync(file);
      await rename(file, path).catch(async (error: NodeJS.ErrnoException) => {
        // On another disk. Under its own name only once it is whole.
        if (error.code !== "EXDEV") throw error;
        await copyFile(file, path + UNFINISHED, constants.COPYFILE_FICLONE);
        await chmod(path + UNFINISHED, 0o600);
        await sync(path + UNFINISHED);
        await rename(path + UNFINISHED, path);
        await rm(file);
      });
      await settled();
    },
    async put(name, bytes) {
      const path = pathOf(name);
      const settled = await makeFolder(dirname(path));
      await writeFile(path + UNFINISHED, bytes, { mode: 0o600, flush: true });
      await rename(path + UNFINISHED, path);
      await settled();
    },
    async remove(name) {
      await rm(pathOf(name), { force: true });
      // What a crash has left of it.
      await rm(pathOf(name) + UNFINISHED, { force: true });
    },
  } satisfies ObjectStore;
}

/** Makes a folder, and returns what puts its entries on the disk. */
async function makeFolder(into: string): Promise<() => Promise<void>> {
  const made = await mkdir(into, { recursive: true, mode: 0o700 });
  return async () => {
    await sync(into);
    // A folder that is new has an entry of its own, up to the first that was there.
    for (let at = into; made !== undefined && at.length >= made.length; at = dirname(at)) await sync(dirname(at));
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}

/** Puts a file's bytes, or a folder's entries, on the disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
