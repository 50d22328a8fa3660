import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** What takes as long as somebody else likes: a pause, a disk, the end of what others have begun. A transaction holds locks and a connection meanwhile. */
const WAITS = ["pause", "untilNone", "handedOver", "journal.append"];

/** Operations after which nobody relies on it that nothing leaves any more. */
const ANSWERS_NOBODY: Readonly<Record<string, string>> = {
  "src/operations/restore/replay-opt-outs.ts": "nothing leaves while a restored database is replayed into",
  "src/operations/restore/words.ts": "nothing leaves while a restored database is replayed into",
  "src/operations/sending/deliver.ts": "its own batch is what is on its way: it would wait in vain",
  "src/operations/sending/record-receipts.ts": "the carrier has said it, and lets nothing through from there on",
};

/** The text between the bracket at `from` and the one that closes it. Brackets in strings count too: there are none that do not close. */
function inBrackets(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if ("([{".includes(text[at]!)) depth++;
    if (")]}".includes(text[at]!) && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

type Body = { file: string; what: string; text: string };

/** Every function of a file by name, with what is in its body. */
function functionsOf(file: string, text: string): (Body & { takesTx: boolean })[] {
  return [...text.matchAll(/^(?:export )?(?:async )?function (\w+)(?:<[^(]*>)?(?=\()/gm)].map((found) => {
    const at = found.index + found[0].length;
    const parameters = inBrackets(text, at);
    const body = inBrackets(text, text.indexOf("{\n", at + parameters.length));
    return { file, what: found[1]!, text: body, takesTx: /\btx: Tx\b/.test(parameters.replaceAll("(tx: Tx) =>", "")) };
  });
}

const calls = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w.])(?:\\w+\\.)?${name.replace(".", "\\.")}\\(`).test(text.replaceAll("ctx.journal.", "journal."));

/** The places where a transaction waits: in its own callback, or in a function that is handed the transaction, or calls one of the file that waits. */
function waitsIn(file: string, text: string): string[] {
  const functions = functionsOf(file, text);
  const waiting = [...WAITS];
  for (let before = 0; before < waiting.length; ) {
    before = waiting.length;
    for (const { what, text: body } of functions) {
      if (!waiting.includes(what) && waiting.some((name) => calls(body, name))) waiting.push(what);
    }
  }
  const callbacks = [...text.matchAll(/\.transaction\(/g)].map(({ index }) => ({
    what: "a transaction",
    text: inBrackets(text, index + ".transaction".length),
  }));
  return [...functions.filter(({ takesTx }) => takesTx), ...callbacks].flatMap(({ what, text: body }) =>
    waiting.filter((name) => name !== what && calls(body, name)).map((name) => `${file}: ${what} calls ${name}`),
  );
}

const sources = globSync("src/{operations,store}/**/*.ts")
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

test("nothing waits inside a transaction", () => {
  assert.deepEqual(
    sources.flatMap(({ file, text }) => waitsIn(file, text)),
    [],
  );
});

test("a wait is found in a transaction, in what is handed one, and through another function", () => {
  const text = `
async function write(ctx: Context) {
  await ctx.journal.append({});
}
async function obey(tx: Tx) {
  await pause(5);
}
function take(ctx: Context) {
  return ctx.db.transaction(async (tx) => {
    await write(ctx);
  });
}
`;
  assert.deepEqual(waitsIn("a.ts", text), ["a.ts: obey calls pause", "a.ts: a transaction calls write"]);
});

test("whoever opts a phone out waits, after the commit, for what is on its way to it", () => {
  const stops = sources.filter(
    ({ file, text }) => file.startsWith("src/operations/") && /optOuts?\.(optOut|write)\(|\boptOut\(/i.test(text),
  );
  assert.ok(stops.length > Object.keys(ANSWERS_NOBODY).length);
  assert.deepEqual(
    stops
      .filter(({ text }) => !text.includes("handedOver("))
      .map(({ file }) => file)
      .sort(),
    Object.keys(ANSWERS_NOBODY).sort(),
  );
});
