import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import {
  exists,
  packageOf,
  readSources,
  readText,
  resolveImport,
  root,
  runtimeImports,
  type Source,
  takeApart,
} from "#test/support/source/source.ts";

/** Who may import whom, besides itself: docs and reasons are in each folder's README. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: [],
  ports: ["domain"],
  conversation: ["contract", "domain", "ports"],
  media: ["contract", "domain", "ports"],
  store: ["contract", "domain", "ports"],
  operations: ["contract", "domain", "ports", "conversation", "media", "store"],
  http: ["contract", "domain", "ports", "conversation", "media", "operations"],
  jobs: ["contract", "domain", "ports", "conversation", "media", "operations"],
  adapters: ["domain", "ports"],
  app: ["contract", "domain", "ports", "conversation", "media", "store", "operations", "http", "jobs", "adapters"],
  bin: ["contract", "domain", "app"],
};

/** The files of operations/ that are no operations but what all of them are handed. */
const OF_OPERATIONS = ["src/operations/carriers.ts", "src/operations/context.ts", "src/operations/process-state.ts"];

const MAX_LINES = 500;
const MAX_README_LINES = 25;
const NAMELESS = /^(utils?|helpers?|common|misc)\b/;

const sources = readSources(["src/**/*.ts", "contract/**/*.ts", "bin/**/*.ts"]);
const others = readSources([
  "test/**/*.ts",
  "bench/**/*.{ts,mjs}",
  "scripts/**/*.{ts,mjs}",
  "console/{src,build}/**/*.{ts,tsx}",
  "console/vite.config.ts",
]);

/** Tests see what they test and its stand-ins, wherever these live. */
const program = sources.filter(({ path }) => !path.endsWith(".test.ts"));

const layerOf = (path: string): string => path.replace(/^src\//, "").split("/")[0]!;

/** Imports of our own files, as [importer, imported]. */
function edges(of: readonly Source[]): [string, string][] {
  return of.flatMap(({ path, imports }) =>
    imports.flatMap((specifier): [string, string][] => {
      const target = resolveImport(path, specifier);
      return target === undefined ? [] : [[path, target]];
    }),
  );
}

test("every import points downwards, by the table of the architecture", () => {
  const wrong = edges(program).filter(([from, to]) => {
    const [layer, below] = [layerOf(from), layerOf(to)];
    return layer !== below && !MAY_IMPORT[layer]?.includes(below);
  });

  assert.deepEqual(
    wrong.map((edge) => edge.join(" imports ")),
    [],
  );
});

test("every folder of src/ has its place in the table", () => {
  const layers = new Set(program.map(({ path }) => layerOf(path)));

  assert.deepEqual(
    [...layers].filter((layer) => !(layer in MAY_IMPORT)),
    [],
  );
});

/**
 * A large operation has its parts beside it: it may import them, and they each other, but no other operation may. One that is the same for texts and
 * for calls, or for what registries decide, has its steps beside it in the same way. One that does for many what others do for one does it by these, of whichever room.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  // From a first step, of whichever room, to a session.
  "accounts/sign-in": [
    "change-session",
    "sign-in/begin-session",
    "sign-in/change-factors",
    "sign-in/identity-providers",
    "sign-in/prove",
    "sign-in/sign-in-policy",
    "sign-in/sign-on",
    "sign-in/user-of-identity",
  ],
  // What a process that died has stored is linked to its call before it is uploaded.
  "calls/upload-objects": ["adopt-recording"],
  "campaigns/add-leads": ["add-steps", "add-voice-leads"],
  "campaigns/control-campaign": ["control-steps", "control-voice-campaign"],
  "campaigns/create-campaign": ["campaign-warnings", "create-steps", "create-voice-campaign"],
  "contacts/change-contacts": [
    "compliance/add-do-not-call",
    "compliance/remove-do-not-call",
    "compliance/unsubscribe",
    "delete-contact",
  ],
  "campaigns/edit-campaign": ["edit-agent", "edit-calling"],
  "dialing/conduct-calls": [
    "answer",
    "claim",
    "commit",
    "decide",
    "hold",
    "lent-calls",
    "opt-outs",
    "plans",
    "rotate",
    "unheld",
    "writes",
  ],
  "contacts/make-evidence": ["read-zip", "verify-evidence", "zip"],
  "imports/run-imports": ["import-context", "read-rows", "retry-row", "store-rows", "watch"],
  "messaging/converse": ["inbox"],
  "messaging/receive-message": ["join-parts", "keep-texts"],
  "messaging/reply-to-thread": ["begin-turns", "conclude-turns", "model-away", "plan-call"],
  "registration/poll-verdicts": ["read-brands", "read-ten-dlc-campaigns", "toll-free"],
  // Both are sent by carriers, and by strangers: whose account is meant is kept.
  "numbers/read-webhook": ["webhook-accounts", "calls/join-stream"],
  // An import pays for look-ups too.
  "numbers/look-up-numbers": ["look-up-spend", "imports/start-import"],
  "restore/lift-fence": [
    "campaign-requests",
    "evidence",
    "number-rests",
    "organization-requests",
    "sending-requests",
    "sends",
    "words",
  ],
  "sending/record-receipts": ["record-named-receipts"],
  "sending/recover-attempts": ["give-back"],
  // Both settle attempts whose outcome was not known.
  "calls/recover-calls": ["pass-on-call"],
  "sending/drain-lane": ["claim", "decide", "deliver", "doubt", "hand-over"],
};

test("operations do not import each other", () => {
  const operationOf = new Map(
    Object.entries(PARTS).flatMap(([operation, parts]) =>
      [operation, ...parts.map((part) => (part.includes("/") ? part : `${dirname(operation)}/${part}`))].map(
        (file): [string, string] => [`src/operations/${file}.ts`, operation],
      ),
    ),
  );
  assert.deepEqual(
    [...operationOf.keys()].filter((path) => !exists(path)),
    [],
  );
  const wrong = edges(program).filter(([from, to]) => {
    if (layerOf(from) !== "operations" || layerOf(to) !== "operations" || OF_OPERATIONS.includes(to)) return false;
    return operationOf.get(to) === undefined || operationOf.get(to) !== operationOf.get(from);
  });

  assert.deepEqual(
    wrong.map((edge) => edge.join(" imports ")),
    [],
  );
});

const FOLLOWS_A_RUN = "the run that ends adds the next one, for when the claim says that something is due";
const QUEUE_ITSELF = "names every job and runs it";

/** Who names the jobs of lanes, besides `lanes.wake` and `dials.wakeLanes`, which also write when the lane is due. */
const NAMES_LANE_JOBS: Readonly<Record<string, string>> = {
  "src/jobs/worker.ts": QUEUE_ITSELF,
  "src/operations/dialing/conduct-calls.ts": FOLLOWS_A_RUN,
  "src/operations/sending/drain-lane.ts": FOLLOWS_A_RUN,
  "src/store/calls/dials.ts": "wakeLanes; and wakeWaiting, only for lanes that are due already",
  "src/store/database/queue.ts": QUEUE_ITSELF,
  "src/store/sending/due-jobs.ts": "only for lanes that are due already, and whose job is lost",
  "src/store/sending/lanes.ts": "wake",
};

/** Who writes when a lane is due. */
const WRITES_DUE_TIMES: Readonly<Record<string, string>> = {
  "src/operations/sending/deliver.ts": "a part of the lane's own run, which adds the next one for that time",
  "src/store/calls/dial-lanes.ts": "due",
  "src/store/calls/dials.ts": "wakeLanes",
  "src/store/sending/lanes.ts": "wake",
};

test("a lane is woken by one function: its job and its due time go together", () => {
  const lanes = ["src/store/sending/lanes.ts", "src/store/calls/dial-lanes.ts"];
  const naming = program.filter(({ literals }) => literals.some((literal) => /^drain-(?:dial-)?lane$/.test(literal)));
  const writing = program.filter(({ path, code, imports }) => {
    const seen = [path, ...imports.map((specifier) => resolveImport(path, specifier))];
    return lanes.some((lane) => seen.includes(lane)) && /\b(?:lanes|dialLanes)\.due\(|(?<![.\w])due\(/.test(code);
  });

  assert.deepEqual(
    naming.map(({ path }) => path).sort(),
    Object.keys(NAMES_LANE_JOBS),
    "wake the lane instead, or say here why its job alone is enough",
  );
  assert.deepEqual(
    writing.map(({ path }) => path).sort(),
    Object.keys(WRITES_DUE_TIMES),
    "wake the lane instead, or say here why its due time alone is enough",
  );
});

test("imports name a file that is there: by # between folders, by ./ within one", () => {
  const tests = others.filter(({ path }) => path.startsWith("test/"));
  const wrong = [...sources, ...tests].flatMap(({ path, imports }) =>
    imports
      .filter((specifier) => {
        const target = resolveImport(path, specifier);
        if (target === undefined) return false;
        const isRelative = specifier.startsWith(".");
        const hasNoHash = path.startsWith("bin/") || /^(?:bench|console|scripts)\//.test(target);
        return !exists(target) || (!hasNoHash && isRelative !== (dirname(target) === dirname(path)));
      })
      .map((specifier) => `${path}: ${specifier}`),
  );

  assert.deepEqual(wrong, []);
});

test("no file imports itself by way of others", () => {
  const next = Map.groupBy(edges(program), ([from]) => from);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    const begin = way.indexOf(path);
    if (begin >= 0) cycles.push([...way.slice(begin), path].join(" > "));
    if (begin >= 0 || done.has(path)) return;
    for (const [, to] of next.get(path) ?? []) visit(to, [...way, path]);
    done.add(path);
  };
  for (const { path } of program) visit(path, []);

  assert.deepEqual(cycles, []);
});

test("the contract is made of TypeBox alone, and the domain knows no clock, chance, environment or outside", () => {
  const wrong = program.flatMap(({ path, code, imports }) => {
    if (layerOf(path) === "contract") {
      return imports.filter((name) => !/^[.#]|^typebox(\/|$)/.test(name)).map((name) => `${path}: ${name}`);
    }
    if (layerOf(path) !== "domain") return [];
    // Hashes are arithmetic; the rest of Node is the outside.
    const outside = imports.filter((name) => name.startsWith("node:") && name !== "node:crypto");
    const impure =
      /\b(Date\.now|new Date\(\s*\)|Math\.random|performance\.now|random(UUID|Bytes|Int)|Temporal\.Now|set(Timeout|Interval|Immediate)|fetch\(|process\.|async |await |Promise\b)/g;
    return [...outside, ...(code.match(impure) ?? [])].map((what) => `${path}: ${what}`);
  });

  assert.deepEqual(wrong, []);
});

test("only src/app/settings/config.ts reads the environment", () => {
  const readers = sources.filter(({ code }) =>
    /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;]*\bfrom\s*"\d+"|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(
      // The first line of a script names its interpreter.
      code.replace(/^#!.*/, ""),
    ),
  );

  assert.deepEqual(
    readers.map(({ path }) => path),
    // The second writes it: for a library that reads a wish from nowhere else.
    ["src/app/settings/config.ts", "src/media/audio/silero.ts"],
  );
});

test("SQL is written in src/store/ only", () => {
  const statement =
    /\bselect\b[\s\S]{1,400}?\bfrom\s+(?!(the|an?|this|that|your|our)\b)[a-z_$"(]|\binsert\s+into\s|\bdelete\s+from\s|\bupdate\s+(only\s+)?[\w."$]+(\s+(as\s+)?\w+)?\s+set\s/i;
  const wrong = program
    .filter(({ path }) => layerOf(path) !== "store")
    .flatMap(({ path, literals }) =>
      literals.filter((literal) => statement.test(literal)).map((literal) => `${path}: ${literal}`),
    );

  assert.deepEqual(wrong, []);
});

test("a statement that changes rows is declared as one that does: by changing(...) or its kin, never by statement(...)", () => {
  const declared = /\b(?:statement|crossTenant)\(\s*("[^"]+"|`[^`]+`),\s*("[^"]*"|`[^`]*`)/g;
  const changes = /\b(?:insert\s+into|delete\s+from|(?<!\bfor\s)(?<!\bkey\s)update\s+\w)/i;
  const wrong = globSync("src/store/**/*.ts", { cwd: root }).flatMap((path) =>
    [...readText(path).matchAll(declared)]
      .filter(([, , text]) => changes.test(text!))
      .map(([, name]) => `${path}: ${name}`),
  );
  assert.deepEqual(wrong, []);
});

const OF_A_PROGRAM = "a program, which removes its folder itself before it ends";
const OF_A_SERVER =
  "a server's data: too much to keep until the tests' process exits, so it is removed once the server has ended";

/** Who among the tests makes a temporary folder, and why not by `aFolder`. */
const MAKES_FOLDERS: Readonly<Record<string, string>> = {
  "test/demo/make.ts": OF_A_PROGRAM,
  "test/fuzz/run.ts": OF_A_PROGRAM,
  "test/runner/coverage.ts": OF_A_PROGRAM,
  "test/runner/server-folder.ts": "the runner's own, which all processes of tests share",
  "test/simulation/simulate.ts": OF_A_PROGRAM,
  "test/support/database/own-postgres.ts": OF_A_SERVER,
  "test/support/database/patroni.ts": OF_A_SERVER,
  "test/support/database/small-disk.ts": "a disk is mounted there, and has to be unmounted first",
  "test/support/database/standby.ts": OF_A_SERVER,
  "test/support/source/folder.ts": "aFolder itself",
};

test("temporary folders of tests are made by one helper", () => {
  const making = [...sources, ...others]
    .filter(({ path }) => path.startsWith("test/") || path.endsWith(".test.ts"))
    .filter(({ code }) => /\bmkdtemp/.test(code));

  assert.deepEqual(
    making.map(({ path }) => path).sort(),
    Object.keys(MAKES_FOLDERS),
    "call aFolder of test/support/source/folder.ts instead, or say here why it does not do",
  );
});

test("no file is a place rather than a thing: not by its name, not by its length", () => {
  const all = [...sources, ...others];

  assert.deepEqual(
    all.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines} lines`),
    [],
  );
  assert.deepEqual(
    all.map(({ path }) => path).filter((path) => path.split("/").some((part) => NAMELESS.test(part))),
    [],
  );
});

test("each folder under src/ says in 25 lines what it is", () => {
  const files = globSync("src/**/*.{ts,sql}", { cwd: root });
  // A folder that only sorts other folders needs no words, a layer does.
  const folders = new Set(files.flatMap((path) => [dirname(path), `src/${layerOf(path)}`]));
  const wrong = [...folders].sort().filter((folder) => {
    const path = `${folder}/README.md`;
    return !exists(path) || readText(path).trimEnd().split("\n").length > MAX_README_LINES;
  });

  assert.deepEqual(wrong, []);
});

test("every dependency is argued for and used, and nothing else is imported", () => {
  type Manifest = Record<"dependencies" | "devDependencies", Record<string, string>>;
  const manifests = ["package.json", "console/package.json"].map((path) => JSON.parse(readText(path)) as Manifest);
  const versions = Object.assign(
    {},
    ...manifests.flatMap((manifest) => [manifest.dependencies, manifest.devDependencies]),
  ) as Record<string, string>;
  const named = Object.keys(versions).sort();
  const rows = [...readText("docs/dependencies.md").matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, why]) => ({
    name: name!,
    why: why!,
  }));
  const imported = new Set([...sources, ...others].flatMap(({ imports }) => imports.map(packageOf)));
  const unimported = new Set(rows.filter(({ why }) => why.startsWith("Not imported:")).map(({ name }) => name));

  assert.deepEqual(rows.map(({ name }) => name).sort(), named);
  assert.deepEqual(
    named.filter((name) => imported.has(name) === unimported.has(name)),
    [],
    "unused, or wrongly said to be not imported",
  );
  assert.deepEqual(
    [...imported].filter((name) => name !== undefined && !named.includes(name)),
    [],
    "imported, but no dependency of ours",
  );
  assert.deepEqual(
    Object.entries(versions).filter(([, version]) => !/^\d/.test(version)),
    [],
    "versions are exact",
  );
});

test("what starts needs no package of development: npm start leaves them out", () => {
  const { devDependencies } = JSON.parse(readText("package.json")) as { devDependencies: Record<string, string> };
  const console = JSON.parse(readText("console/package.json")) as { devDependencies: Record<string, string> };
  const tools = new Set([...Object.keys(devDependencies), ...Object.keys(console.devDependencies)]);
  const started = [
    ...program,
    ...others.filter(({ path }) => /^(console\/|scripts\/(start|install|console)\.mjs$)/.test(path)),
  ];
  const wrong = started.flatMap((source) =>
    runtimeImports(source)
      .filter((specifier) => tools.has(packageOf(specifier) ?? ""))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );

  assert.ok(started.some(({ path }) => path === "scripts/start.mjs") && tools.has("playwright-core"));
  assert.deepEqual(wrong, []);
});

test("the lockfile holds every package that its packages name, other platforms' too, or npm ci refuses it", () => {
  type Locked = Partial<Record<"dependencies" | "optionalDependencies", Record<string, string>>>;
  const { packages } = JSON.parse(readText("package-lock.json")) as { packages: Record<string, Locked> };
  /** As Node looks a package up: beside the one that needs it, then beside each that this one lies in. */
  const isThere = (name: string, from: string): boolean => {
    if (`${from === "" ? "" : `${from}/`}node_modules/${name}` in packages) return true;
    return from !== "" && isThere(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
  };
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isThere(name, path))
      .map((name) => `${path} needs ${name}`),
  );

  assert.deepEqual(missing, []);
});

test("the lexer distinguishes code from comments, literals and regular expressions", () => {
  const { code, literals, imports } = takeApart(
    "x.ts",
    [
      "import type { A } from './a.ts'; // import 'comment'",
      'export * from "b";',
      "/* import 'c' */ const late = await import(`d`);",
      `const text = \`import "e" \${f("g" + \`\${"h"}\`)} it\\\`s\`;`,
      "const pattern = /['\"`/[/]/g, half = 4 / 2 / 1;",
      'const quote = "it\'s \\" // no comment";',
      "process.env;",
    ].join("\n"),
  );

  assert.deepEqual(imports, ["./a.ts", "b", "d"]);
  assert.deepEqual(literals, ["./a.ts", "b", "d", "g", "h", "$", 'import "e" $ it`s', `it's " // no comment`]);
  assert.match(code, /= \/regexp\/g, half = 4 \/ 2 \/ 1;/);
  assert.match(code, /process\.env;$/);
});
