import assert from "node:assert/strict";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ALIASES } from "#contract/values/names.ts";
import { contractNames, contractOperations } from "#test/support/source/contract-names.ts";
import { readText, root } from "#test/support/source/source.ts";

/** Words that the code had for what the field has a name for, and the names. */
const OLD_WORDS: [RegExp, string][] = [
  [/\bears?\b/i, "speech-to-text"],
  [/\bmouths?\b/i, "playback, text-to-speech"],
  [/\bminds?\b/i, "dialog, model"],
  [/\b(door)?bells?\b|\brung\b/i, "job, enqueue"],
  [/\bbooks\b/i, "records, store"],
  [/\b(tells?|told)\b/i, "report, return, send, say"],
];
const FILES = [
  "{src,contract,bench,test,scripts,bin}/**/*.{ts,mjs}",
  "console/src/**/*.{ts,tsx}",
  "{src,test,bench,console,data}/**/README.md",
  "docs/**/*.md",
  "*.md",
];
/** Its own examples. */
const SELF = "test/words.test.ts";

/** What people say is data: in a text, a prompt or a pattern they may use these words. */
function withoutWordsOfPeople(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/`(?:[^`\\]|\\.)*`/g, "``")
    .replace(/(?<![/*])\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/g, "//");
}

test("comments and names use the field's words, not those that docs/glossary.md replaced", () => {
  const found: string[] = [];
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((file) => file !== SELF);
  assert.ok(files.length > 1_000);
  for (const file of files.sort()) {
    const isTest = /\.test\.tsx?$/.test(file);
    let inTemplate = false;
    readText(file)
      .split("\n")
      .forEach((line, i) => {
        const isComment = /^\s*(\/\/|\/?\*)/.test(line);
        const begins = inTemplate;
        if (!isComment && (line.match(/(?<!\\)`/g)?.length ?? 0) % 2 === 1) inTemplate = !inTemplate;
        if (begins && !isComment) return;
        // Quotes in a comment are words of people, too; the title of a test is ours.
        const title = isTest ? (/^\s*(?:await )?(?:t\.)?test\(\s*"([^"]*)"/.exec(line)?.[1] ?? "") : "";
        const ours = `${withoutWordsOfPeople(line)} ${title}`;
        for (const [word, instead] of OLD_WORDS)
          if (word.test(ours)) found.push(`${file}:${i + 1} ${word.exec(ours)![0]} (${instead}): ${line.trim()}`);
      });
  }
  assert.deepEqual(found, []);
});

test("the words are found where they stand in comments, names and titles, and not in what people say", () => {
  const isOld = (line: string) => OLD_WORDS.some(([word]) => word.test(withoutWordsOfPeople(line)));
  assert.ok(isOld("/** What the ears get at once. */"));
  assert.ok(isOld("const told = await ask();"));
  assert.ok(isOld("// Rings the lane's doorbell."));
  assert.ok(!isOld('say("agent", "What budget do you have in mind?");'));
  assert.ok(!isOld(String.raw`const PATTERN = /\b(?:tell|told) me\b/;`));
  assert.ok(!isOld("const clear = nearest(years);"));
});

/** `it` as the name of a parameter, a variable or a property: a noun says what it is. SQL and what people say is quoted. */
const IT = /(?<![\w.'])it\??(?=\s*(=>|[,:)}=]))|\.it\b/;
const isNamedIt = (line: string) =>
  !/^\s*(\/\/|\/?\*)/.test(line) && IT.test(withoutWordsOfPeople(line).replace(/\/\/ .*$/, ""));

test("nothing is named `it`", () => {
  const files = globSync("{src,contract,bench,test,scripts,bin,console/src}/**/*.{ts,tsx,mjs}", { cwd: root });
  const found = files.flatMap((file) => {
    // A template may go over lines, and holds SQL.
    const text = readText(file).replace(/`(?:[^`\\]|\\.)*`/g, (template) => template.replace(/[^\n]/g, ""));
    return text.split("\n").flatMap((line, i) => (isNamedIt(line) ? [`${file}:${i + 1} ${line.trim()}`] : []));
  });
  assert.deepEqual(found, []);
});

test("a parameter, a variable and a property named `it` are found, and the word is not", () => {
  for (const line of [
    "rows.map((it) => it.id)",
    "const it = 1;",
    "function f({ it: row }) {",
    "<Row it={row} />",
    "(it: Row)",
  ])
    assert.ok(isNamedIt(line), line);
  for (const line of [
    'say("if it, then");',
    "// Nobody takes it: it is late.",
    " * it: so",
    "const item = 1;",
    "write(1); // it, too",
  ])
    assert.ok(!isNamedIt(line), line);
});

/** The page of the API's names; WRITE_NAMES=1 lists them there anew. */
const NAMES = "docs/names.md";
const page = readText(NAMES);
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const firstCells = (text: string): string[] => [...text.matchAll(/^\| `([a-zA-Z_0-9]+)`/gm)].map(([, name]) => name!);
const listed = (section("Every name").split("```")[1] ?? "").split(/\s+/).filter((name) => /^\w+$/.test(name));

test("every name in requests and answers is one of those that docs/names.md lists, and it lists no other", async () => {
  const names = await contractNames();
  const canonical = [...names].filter(([, { places }]) => places.length > 0).map(([name]) => name);
  if (process.env.WRITE_NAMES && listed.join() !== canonical.toSorted().join()) {
    const lines = canonical
      .toSorted()
      .join(" ")
      .replace(/(.{1,130})( |$)/g, "$1\n");
    const head = page.split("\n## Every name\n")[0]!;
    writeFileSync(join(root, NAMES), `${head}\n## Every name\n\n\`\`\`\n${lines}\`\`\`\n`);
    return;
  }
  const how =
    "a new name is listed by WRITE_NAMES=1 node --test test/words.test.ts, unless docs/names.md has another for it";
  assert.deepEqual(listed, canonical.toSorted(), how);
});

test("another name of a thing is a field of its own only where docs/names.md says what it means there", async () => {
  const names = await contractNames();
  const others = new Set([
    ...ALIASES.flatMap(({ aliases }) => aliases),
    ...[...names].filter(([, { former }]) => former.length > 0).map(([name]) => name),
  ]);
  const used = [...others].filter((name) => (names.get(name)?.places.length ?? 0) > 0);
  assert.deepEqual(firstCells(section("Names with a meaning of their own")).toSorted(), used.toSorted());
});

test("docs/names.md has each alias and each former name", async () => {
  const names = await contractNames();
  const taken = section("One name for one thing");
  for (const { name, aliases } of ALIASES) {
    for (const alias of aliases)
      assert.match(taken, new RegExp(`^\\| \`${name}\` .*\`${alias}\``, "m"), `${name}: ${alias}`);
  }
  for (const [name, { former }] of names) {
    if (former.length > 0) assert.ok(taken.includes(`\`${name}\``), `${name}, as in ${former[0]}`);
  }
});

test("names are in snake case, but for the 10DLC registry's and the sentiments", async () => {
  const registry = new Set(
    (await contractOperations()).filter(({ path }) => path.includes("/10dlc/")).map(({ id }) => id),
  );
  const sentiments = ["Positive", "Neutral", "Negative", "Unknown"];
  for (const [name, { places }] of await contractNames()) {
    if (/^[a-z0-9_]+$/.test(name) || sentiments.includes(name)) continue;
    const elsewhere = places.filter((place) => !registry.has(place.split(/[.[]/)[0]!));
    assert.deepEqual(elsewhere, [], name);
  }
});
