import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identify, readOrUndefined } from "./process.ts";

/**
 * Who uses the server: one file a user, in a folder that exists while the server is open to new ones. The last
 * to leave removes the folder, which fails as long as another's file is in it: so nobody's database is stopped
 * under them, whichever of the service and a CLI command came first.
 */
const usersFolder = (folder: string): string => join(folder, "users");

/** Registers us as a user of the server. Undefined when it is closing: then it is to be waited for, and started anew. */
export async function joinUsers(folder: string): Promise<string | undefined> {
  const name = randomBytes(6).toString("hex");
  const draft = join(folder, `user-${name}`);
  const path = join(usersFolder(folder), name);
  await writeFile(draft, identify(process.pid) ?? "", { mode: 0o600 });
  try {
    await rename(draft, path);
    return path;
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** To be called by who is about to start the server, before it can be found running. */
export async function openToUsers(folder: string): Promise<void> {
  await mkdir(usersFolder(folder), { recursive: true, mode: 0o700 });
}

/** Takes our file back. True when no other user lives, and none can come any more: the server is ours to stop. */
export async function leaveUsers(folder: string, own: string): Promise<boolean> {
  await rm(own, { force: true });
  for (const name of await readdir(usersFolder(folder)).catch(() => [])) {
    const path = join(usersFolder(folder), name);
    const identity = readOrUndefined(path) ?? "";
    if (identify(Number.parseInt(identity, 10)) !== identity) await rm(path, { force: true });
  }
  try {
    await rmdir(usersFolder(folder));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    return false;
  }
}
