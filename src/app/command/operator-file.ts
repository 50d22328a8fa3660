import { accessSync, constants, createReadStream, openSync, type ReadStream } from "node:fs";

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

const whyNot = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT"
    ? "is not there"
    : "cannot be read by the user that Parley works as: put a copy where that user can read it";
