import { constants } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkedName, type ObjectStore } from "#ports/object-store.ts";

export type ObjectFolder = ObjectStore & {
  /** Names of whole objects that were last written, or moved here, before then. */
  names(before: Date): Promise<string[]>;
};

/** Marks what is not whole yet: no name can end so, since a part never has it. */
const UNFINISHED = "~";

/** Objects as files of one folder, which is made when the first of them comes. */
export function objectFolder(folder: string): ObjectFolder {
  const pathOf = (name: string): string => join(folder, checkedName(name));

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
    names: (before) => namesIn(folder, "", before.getTime()),
  } satisfies ObjectFolder;
}

async function namesIn(folder: string, above: string, beforeMs: number): Promise<string[]> {
  const entries = await readdir(join(folder, above), { withFileTypes: true }).catch(absent);
  const found: string[] = [];
  for (const entry of entries ?? []) {
    const name = above + entry.name;
    if (entry.isDirectory()) found.push(...(await namesIn(folder, `${name}/`, beforeMs)));
    else if (entry.isFile() && !name.endsWith(UNFINISHED)) {
      // A file that was moved keeps the time at which it was written.
      const at = await stat(join(folder, name)).catch(absent);
      if (at && at.ctimeMs < beforeMs) found.push(name);
    }
  }
  return found;
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
