import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipOf } from "node:zlib";
import type { Plugin } from "vite";

const gzip = promisify(gzipOf);
const brotli = promisify(brotliCompress);

/** Below this a compressed file saves no packet. */
const WORTH_BYTES = 1_000;

/** Writes `.br` and `.gz` beside every file that gets smaller by it: the service sends them as they are. */
export function precompress(): Plugin {
  let folder = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved({ build, root }) {
      folder = resolve(root, build.outDir);
    },
    async writeBundle() {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
      // At once: Node compresses in threads of its own, and a newcomer waits for the build.
      await Promise.all(
        names.filter((name) => /\.(js|css|html|svg)$/.test(name)).map((name) => compress(join(folder, name))),
      );
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < WORTH_BYTES) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Promise.all([
    gzip(bytes, { level: 9 }).then((zipped) => writeFile(`${path}.gz`, zipped)),
    brotli(bytes, { params }).then((zipped) => writeFile(`${path}.br`, zipped)),
  ]);
}
