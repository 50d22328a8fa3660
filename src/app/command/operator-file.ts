import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  openSync,
  type ReadStream,
  renameSync,
  rmSync,
} from "node:fs";

/**
 * A file of whoever runs the command: to be opened before `settle`, which may go on as a user who cannot read it. Fails with one sentence where nobody
 * here can.
 */
export function openOwn(file: string, encoding: BufferEncoding): ReadStream {
  try {
    return createReadStream(file, { fd: openSync(file, "r"), encoding });
  } catch (error) {
    throw new Error(`${file} ${whyNot(error)}`);
  }
}

/** Folders that are read while the command works, by the user whom it goes on as: one sentence where that user cannot. */
export function refuseUnreadable(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      accessSync(folder, constants.R_OK | constants.X_OK);
    } catch (error) {
      throw new Error(`${folder} ${whyNot(error)}`);
    }
  }
}

/**
 * Root may write where the user that Parley works as may not: the file is root's, and a child of this command goes on as that user and writes it to its
 * standard output, whole or not at all. `nameOf` names the file by what the child said; until then it lies beside `near`.
 */
export async function writeByChild(
  near: string,
  args: readonly string[],
  nameOf: (said: string) => string,
): Promise<{ file: string; said: string }> {
  const unfinished = `${near}.${randomUUID()}.unfinished`;
  const to = openSync(unfinished, "wx", 0o600);
  try {
    const child = spawn(process.execPath, [process.argv[1]!, ...args], { stdio: ["ignore", to, "pipe"] });
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    said = said.trim();
    if (code !== 0) throw new Error(said || `${args[0]} ended before the file was whole`);
    fsyncSync(to);
    const file = nameOf(said);
    renameSync(unfinished, file);
    return { file, said };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(to);
  }
}

const whyNot = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT"
    ? "is not there"
    : "cannot be read by the user that Parley works as: put a copy where that user can read it";
