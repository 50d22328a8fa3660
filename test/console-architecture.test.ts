import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { exists, readSources, readText, root, runtimeImports } from "#test/support/source/source.ts";

const SRC = "console/src/";
const sources = readSources([`${SRC}**/*.{ts,tsx}`]);

/** Who may import whom, besides itself; console/README.md says why. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  parts: ["api"],
  pages: ["api", "parts"],
  app: ["api", "parts", "pages"],
  main: ["app"],
};

const layerOf = (path: string): string => path.slice(SRC.length).split(/[/.]/)[0]!;
const folderOf = (path: string): string => posix.dirname(path);

/** As package.json of the console maps them. */
function resolve(from: string, specifier: string): string | undefined {
  // Behind a "?" stands what Vite is to make of the file.
  if (specifier.startsWith(".")) return posix.join(folderOf(from), specifier.replace(/\?.*$/, ""));
  const [, folder, rest] = /^#(api|app|parts|pages)\/(.*)$/.exec(specifier) ?? [];
  return folder === undefined ? undefined : `${SRC}${folder}/${rest}`;
}

const edges = sources.flatMap(({ path, imports }) =>
  imports.flatMap((specifier): [string, string][] => {
    const target = resolve(path, specifier);
    return target === undefined ? [] : [[path, target]];
  }),
);

test("the console imports downwards, and a page nothing of another page", () => {
  const wrong = edges.filter(([from, to]) => {
    const [layer, below] = [layerOf(from), layerOf(to)];
    if (layer === below) return layer === "pages" && folderOf(from) !== folderOf(to) && !isBelow(from, to);
    return !MAY_IMPORT[layer]?.includes(below);
  });

  assert.deepEqual(
    wrong.map((edge) => edge.join(" imports ")),
    [],
  );
});

/** Both of one folder of pages/, however deep. */
const isBelow = (from: string, to: string): boolean => from.split("/")[3] === to.split("/")[3];

/** Of parts/, who may import whom besides itself and the icons. A room names none but those above it, so that there is no circle. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  icons: [],
  keyboard: [],
  form: ["keyboard"],
  microphone: [],
  page: ["form"],
  show: ["keyboard", "form", "page"],
  chart: ["show"],
  agents: [],
  "contact-table": ["page", "show"],
  numbers: ["keyboard", "page", "show"],
  simulator: [],
  campaigns: ["form", "page", "show", "contact-table", "numbers"],
};
/** Styles are not counted. */
const MOST_FILES = 25;

test("parts lie in rooms that import each other without a circle, and no folder is a list too long to read", () => {
  const roomOf = (path: string): string => path.split("/")[3]!;
  const upwards = Object.entries(PARTS).flatMap(([room, below], at) =>
    below.filter((other) => !Object.keys(PARTS).slice(0, at).includes(other)).map((other) => `${room} names ${other}`),
  );
  assert.deepEqual(upwards, []);
  const parts = sources.map(({ path }) => path).filter((path) => layerOf(path) === "parts");
  assert.deepEqual([...new Set(parts.map(roomOf))].sort(), Object.keys(PARTS).sort());
  const wrong = edges
    .filter(([from, to]) => layerOf(from) === "parts" && layerOf(to) === "parts")
    .filter(([from, to]) => roomOf(from) !== roomOf(to) && !["icons", ...PARTS[roomOf(from)]!].includes(roomOf(to)));
  assert.deepEqual(
    wrong.map((edge) => edge.join(" imports ")),
    [],
  );
  const loose = sources.filter(({ path }) => folderOf(path) === `${SRC}pages`);
  assert.deepEqual(
    loose.map(({ path }) => path),
    [],
  );
  const long = [...Map.groupBy(sources, ({ path }) => folderOf(path))].filter(([, files]) => files.length > MOST_FILES);
  assert.deepEqual(
    long.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test("the console names a file of another folder by #, of its own by ./", () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter((specifier) => {
        const target = resolve(path, specifier);
        return target !== undefined && specifier.startsWith(".") !== (folderOf(target) === folderOf(path));
      })
      .map((specifier) => `${path}: ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test("what the console imports of its own is there", () => {
  assert.deepEqual(
    edges.filter(([, to]) => !exists(to)).map((edge) => edge.join(" imports ")),
    [],
  );
});

/** Who may do what: it needs nothing itself. */
const ROLES = "#contract/accounts/roles.ts";

test("of the contract the console has the types and the roles alone, and of the service nothing else", () => {
  assert.deepEqual(readSources(["contract/accounts/roles.ts"]).flatMap(runtimeImports), []);
  assert.deepEqual(
    sources.flatMap((source) =>
      runtimeImports(source).filter((name) => /^(#contract|typebox)/.test(name) && name !== ROLES),
    ),
    [],
  );
  assert.deepEqual(
    sources.flatMap(({ imports }) => imports.filter((name) => /^(#(?!api|app|parts|pages|contract)|node:)/.test(name))),
    [],
  );
});

test("every file of the contract with operations can be asked by the console", () => {
  const named = readText("console/src/api/operations.ts");
  const files = globSync("contract/**/*.ts", { cwd: root }).filter(
    (path) => !path.endsWith(".test.ts") && /= operation\(|\boperation\(\{/.test(readText(path)),
  );

  assert.deepEqual(
    files.filter((path) => path !== "contract/values/operation.ts" && !named.includes(`"#${path}"`)),
    [],
  );
});

test("keys that work on a whole page are in the list that the help shows", () => {
  const wrong = sources.filter(({ path, code }) => code.includes("useHotkeys") && !path.includes("/parts/keyboard/"));

  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("no page, style or script of the console names another host", () => {
  const files = globSync("console/{index.html,src/**/*.{ts,tsx,css},public/*}", { cwd: root });
  const hosts = files.flatMap((path) =>
    [...readText(path).matchAll(/\b(?:https?|wss?):\/\/[^\s"'`)<]+/g)].map(([url]) => `${path}: ${url}`),
  );

  assert.deepEqual(
    // A name of XML, which nobody fetches.
    hosts.filter((line) => !line.endsWith("http://www.w3.org/2000/svg")),
    [],
  );
});

/** They measure how long something takes while one looks on, and show no moment. */
const STOPWATCHES = [
  "api/stale.ts",
  "api/stream-worker.ts",
  "api/unanswered.ts",
  "pages/calls/transcript.tsx",
  "pages/playground/call.tsx",
  "pages/playground/spoken-call.ts",
  "parts/campaigns/rate.ts",
  "parts/show/time.tsx",
];

test("a page has one clock: what time it is, it asks of parts/show/time.tsx", () => {
  const asking = sources.filter(({ path }) => /\bDate\.now\(|\bnew Date\(\)/.test(readText(path)));
  assert.deepEqual(
    asking.map(({ path }) => path.slice(SRC.length)),
    STOPWATCHES,
  );
});

/** What is sent there is for one's own organization alone, or names the person whom it is about. */
const OF_ONESELF = ["pages/system/invite.tsx", "pages/voice-campaigns/draft.ts"];

test("what an admin makes for an organization is made in the name of somebody there: parts/form/owner.ts says whose", () => {
  const naming = sources.filter(({ path }) => /\buser_id: user\.unique_id\b/.test(readText(path)));
  assert.deepEqual(
    naming.map(({ path }) => path.slice(SRC.length)),
    OF_ONESELF,
  );
});
