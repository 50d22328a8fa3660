import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { encodingFinder } from "#domain/messaging/text-encoding.ts";
import { type Uploads, UploadTooLarge } from "#ports/uploads.ts";
import { HALF_DONE, transcode } from "./transcode.ts";
import { readRows } from "./upload-rows.ts";

const NAME = /^[0-9a-f-]{36}$/;
const nameOf = (file: string): string => (file.endsWith(HALF_DONE) ? file.slice(0, -HALF_DONE.length) : file);

/** Uploads as files of one folder, which is made when the first of them comes. */
export function uploadFolder(folder: string): Uploads {
  const pathOf = (name: string): string => {
    // Names are ours; one that is not must not become a path.
    if (!NAME.test(name)) throw new Error("not the name of an upload");
    return join(folder, name);
  };

  const files = (): Promise<string[]> => readdir(folder).catch(() => []);

  async function keep(source: AsyncIterable<Uint8Array>, maxBytes: number) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = randomUUID();
    const file = await open(pathOf(name), "wx", 0o600);
    try {
      const written = await write(file, source, maxBytes);
      // What is answered for must still be there when the machine comes back.
      await file.sync();
      await file.close();
      return { name, ...written };
    } catch (error) {
      await file.close();
      await rm(pathOf(name), { force: true });
      throw error;
    }
  }

  return {
    keep,
    toUtf8: (name, encoding) => transcode(pathOf(name), encoding),
    async head(name, bytes) {
      const file = await open(pathOf(name), "r");
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    rows: (name, format, from, signal) => readRows(pathOf(name), format, from, signal),
    has: (name) =>
      access(pathOf(name), constants.R_OK).then(
        () => true,
        () => false,
      ),
    names: async () => (await files()).filter((file) => NAME.test(file)),
    async remove(name) {
      await rm(pathOf(name), { force: true });
      await rm(pathOf(name) + HALF_DONE, { force: true });
    },
    async olderThan(at) {
      const old = new Set<string>();
      for (const file of (await files()).filter((file) => NAME.test(nameOf(file)))) {
        const found = await stat(join(folder, file)).catch(() => undefined);
        if (found && found.mtime < at) old.add(nameOf(file));
      }
      return [...old];
    },
  } satisfies Uploads;
}

/** A piece is read when the one before it is written: a slow disk slows the sender down, not our memory up. */
async function write(file: FileHandle, source: AsyncIterable<Uint8Array>, maxBytes: number) {
  const hash = createHash("sha256");
  const encoding = encodingFinder();
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new UploadTooLarge(`The file is larger than ${maxBytes} bytes`);
    hash.update(piece);
    encoding.push(piece);
    await file.writeFile(piece);
  }
  return { bytes, sha256: hash.digest(), encoding: encoding.end() };
}
