import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import type { Encoding } from "#domain/messaging/text-encoding.ts";

/** What a file is called, after its own name, while it is written anew. */
export const HALF_DONE = ".utf8";

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Turns a file into UTF-8 without a byte order mark, in its place. Undefined when it is not of that encoding. A file that
 * is so already is left alone, but read to its end: only then is it known to be.
 */
export async function transcode(
  path: string,
  encoding: Encoding,
): Promise<{ bytes: number; lines: number } | undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const source = createReadStream(path);
  const target = encoding === "utf-8" && !(await startsWithBom(path)) ? undefined : `${path}${HALF_DONE}`;
  const file = target ? await open(target, "w", 0o600) : undefined;
  const lines = countLines();
  try {
    for await (const piece of source) {
      const text = decoder.decode(piece as Buffer, { stream: true });
      lines.add(text);
      await file?.writeFile(text);
    }
    const last = decoder.decode();
    lines.add(last);
    await file?.writeFile(last);
    await file?.sync();
  } catch (error) {
    if (target) await rm(target, { force: true });
    if (error instanceof TypeError) return undefined;
    throw error;
  } finally {
    source.destroy();
    await file?.close();
  }
  if (target) await rename(target, path);
  return { bytes: (await stat(path)).size, lines: lines.count() };
}

/** Lines of a text that comes in pieces: CRLF, LF and CR end one, also the last without any. */
function countLines() {
  let ends = 0;
  let last = "";
  return {
    add(text: string): void {
      if (text === "") return;
      for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) ends++;
      for (let i = text.indexOf("\r"); i >= 0; i = text.indexOf("\r", i + 1)) if (text[i + 1] !== "\n") ends++;
      // A pair that two pieces share was counted in the first.
      if (last === "\r" && text[0] === "\n") ends--;
      last = text.at(-1)!;
    },
    count: () => ends + (last === "" || last === "\n" || last === "\r" ? 0 : 1),
  };
}

async function startsWithBom(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
    return buffer.subarray(0, bytesRead).equals(BOM);
  } finally {
    await file.close();
  }
}
