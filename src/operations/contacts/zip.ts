import { createHash } from "node:crypto";
import { Unzip, UnzipInflate, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { PackedFile } from "#domain/contacts/evidence-pack.ts";

/** A file of an archive: its bytes come as they are made. */
export type ArchivedFile = { name: string; chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> };

/** Sound does not become smaller. */
const isStored = (name: string): boolean => name.endsWith(".wav");

/** A zip archive, made as it is read: of each file a piece is in memory. */
export async function* zipOf(files: AsyncIterable<ArchivedFile>, at: Date): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    made.push(chunk);
  });
  for await (const { name, chunks } of files) {
    const file = isStored(name) ? new ZipPassThrough(name) : new ZipDeflate(name);
    file.mtime = at;
    zip.add(file);
    for await (const chunk of chunks) {
      file.push(chunk as Uint8Array<ArrayBuffer>);
      yield* made.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* made.splice(0);
  }
  zip.end();
  yield* made.splice(0);
}

/** More of text is no archive of ours. */
const MAX_TEXT_BYTES = 512 * 1024 * 1024;

/** The files of an archive with their digests, and of all but recordings their bytes. Throws one sentence where it is none. */
export async function readZip(chunks: AsyncIterable<Uint8Array>): Promise<Map<string, PackedFile>> {
  const files = new Map<string, PackedFile>();
  let problem: string | undefined;
  let open = 0;
  let kept = 0;
  const unzip = new Unzip((file) => {
    if (files.has(file.name)) problem ??= `${file.name} is in the archive twice`;
    files.set(file.name, { sha256: "", bytes: undefined });
    const [hash, parts] = [createHash("sha256"), isStored(file.name) ? undefined : ([] as Uint8Array[])];
    open++;
    file.ondata = (error, chunk, final) => {
      if (error) problem ??= `${file.name} cannot be unpacked: ${error.message}`;
      if (error || !chunk) return;
      hash.update(chunk);
      if (parts) {
        kept += chunk.length;
        if (kept > MAX_TEXT_BYTES) throw new Error("The archive is larger than any evidence pack");
        parts.push(chunk.slice());
      }
      if (!final) return;
      open--;
      files.set(file.name, { sha256: hash.digest("hex"), bytes: parts && Buffer.concat(parts) });
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for await (const chunk of chunks) unzip.push(chunk as Uint8Array<ArrayBuffer>);
    unzip.push(new Uint8Array(0), true);
  } catch (error) {
    problem ??= `The archive cannot be unpacked: ${(error as Error).message}`;
  }
  if (problem !== undefined) throw new Error(problem);
  if (files.size === 0) throw new Error("This is no zip archive");
  if (open > 0) throw new Error("The archive is cut off");
  return files;
}
