import { Zip, ZipDeflate, ZipPassThrough } from "fflate";

/** A file of an archive: its bytes come as they are made. */
export type ArchivedFile = { name: string; chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> };

/** Sound does not become smaller. */
export const isStored = (name: string): boolean => name.endsWith(".wav");

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
