import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { readText, root } from "#test/support/source/source.ts";

const DOCUMENTS = ["*.md", "{docs,data,bench,contract,console,src,test}/**/*.md"];
const CODE = ["{src,contract,bin,test,bench,scripts}/**/*.{ts,mjs,sql}", "console/{src,build}/**/*.{ts,tsx}"];
/** Says what was, not what is. */
const OF_THE_PAST = ["CHANGELOG.md"];
/** How a file is to be called, and none. */
const PATTERN = "NNNN-name.sql";

const without = (path: string): boolean => !/(?:^|\/)(?:node_modules|dist)\//.test(path) && !OF_THE_PAST.includes(path);
const documents = globSync(DOCUMENTS, { cwd: root }).filter(without);
const code = globSync(CODE, { cwd: root }).filter(without);

/** `src/store/calls/calls.ts`, `store/calls/calls.ts`, `calls.ts`: every way in which words name a file. */
const endings = new Set(
  [...documents, ...code].flatMap((path) => {
    const parts = path.split("/");
    return parts.map((_, at) => parts.slice(at).join("/"));
  }),
);
const NAMED = /(?<![\w@/.#\\*{}$-])((?:\.{1,2}\/)+|#)?((?:[\w-]+\/)*[\w-][\w.-]*\.(?:tsx?|sql|mjs))(?![\w-]|\.\w)/g;

function isThere(from: string, lead: string, rest: string): boolean {
  if (lead === "" || lead === "#") return endings.has(rest) || rest === PATTERN;
  return endings.has(posix.join(posix.dirname(from), lead + rest)) || endings.has(rest);
}

/** What of a line is words: all of a document's, of code what stands in a comment. */
function wordsOf(path: string, line: string): string {
  if (path.endsWith(".md") || /^\s*(?:\*|\/\*|--)/.test(line)) return line;
  return /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1] ?? "";
}

test("every file that a document or a comment names is there", () => {
  const missing = [...documents, ...code].flatMap((path) =>
    readText(path)
      .split("\n")
      .flatMap((line, at) =>
        [...wordsOf(path, line).matchAll(NAMED)]
          .filter(([, lead = "", rest]) => !isThere(path, lead, rest!))
          .map(([all]) => `${path}:${at + 1}: ${all}`),
      ),
  );
  assert.deepEqual(missing, []);
});
