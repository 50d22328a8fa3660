import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { exists, readSources, readText, resolveImport, root } from "#test/support/source/source.ts";

/** What rooms are about. They are called the same in every layer: the layer says what a file is, the room what it is about. */
const NOUNS = [
  "values",
  "accounts",
  "phones",
  "contacts",
  "compliance",
  "agents",
  "campaigns",
  "messaging",
  "sending",
  "calls",
  "numbers",
  "simulator",
  "system",
];

/** Rooms that one layer alone has. */
const OWN_ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: ["revocation"],
  conversation: ["playground"],
  media: ["answering", "audio", "recording", "turn"],
  store: ["database", "distribution"],
  operations: ["dialing", "imports", "registration", "restore", "sign-in"],
  adapters: [
    "carrier-addresses",
    "files",
    "language-models",
    "dialog-engine",
    "dialog-reading",
    "dialog-words",
    "offline-speech",
    "passwords",
    "second-factor",
    "shared-objects",
    "single-sign-on",
    "sip-audio",
    "sip-calls",
    "sip-messages",
    "sip-transport",
    "smpp-pdus",
    "smpp-sessions",
    "sound-bridge",
    "speech-providers",
    "telnyx",
    "twilio",
    "twilio-calls",
    "vendor-http",
  ],
  http: ["access", "server"],
  app: ["bulk", "capacity", "command", "demo", "embedded-postgres", "plane", "process", "roles", "settings"],
  "test/acceptance": ["bad-input", "isolation", "limits"],
  "test/integration": ["database", "restore"],
  "test/support": [
    "api",
    "browser",
    "carriers",
    "database",
    "isolation",
    "objects",
    "processes",
    "source",
    "time",
    "torture",
  ],
};

/**
 * Who may import whom within a layer, besides itself. A room names none but those above it, so that there is no circle. What ends in `.ts` is a
 * file of the layer's own.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  contract: {
    values: [],
    accounts: ["values"],
    compliance: ["values"],
    contacts: ["values"],
    numbers: ["values", "contacts"],
    simulator: ["values"],
    calls: ["values", "contacts"],
    campaigns: ["values", "contacts"],
    agents: ["values", "contacts", "calls"],
    messaging: ["values", "campaigns"],
    system: ["values", "campaigns"],
  },
  domain: {
    values: [],
    accounts: ["values"],
    messaging: ["values"],
    phones: ["values"],
    revocation: ["values"],
    compliance: ["values", "messaging", "phones", "revocation"],
    system: ["values", "compliance"],
    numbers: ["values", "phones"],
    agents: ["values", "messaging", "phones", "compliance"],
    contacts: ["values", "accounts", "messaging", "phones", "compliance"],
    calls: ["values", "messaging", "compliance", "agents", "contacts"],
    sending: ["values", "messaging", "phones", "compliance", "contacts"],
    campaigns: ["values", "messaging", "phones", "compliance", "numbers", "contacts", "calls", "sending"],
  },
  conversation: {
    agents: [],
    messaging: ["agents"],
    calls: ["agents", "messaging"],
    playground: ["agents", "messaging", "calls"],
  },
  media: {
    audio: [],
    recording: [],
    "scheduler.ts": [],
    turn: ["audio"],
    answering: ["audio", "turn"],
    "call-sound.ts": ["audio", "recording", "turn", "answering"],
  },
  store: {
    database: [],
    distribution: ["database"],
    accounts: ["database"],
    system: ["database"],
    contacts: ["database", "system"],
    campaigns: ["database", "system", "contacts"],
    numbers: ["database", "system", "accounts", "campaigns"],
    simulator: ["database", "accounts"],
    agents: ["database", "system", "contacts", "campaigns"],
    messaging: ["database", "accounts", "campaigns", "agents"],
    calls: ["database", "accounts", "system", "contacts", "campaigns", "messaging"],
    compliance: ["database", "accounts", "system", "contacts", "messaging", "calls"],
    sending: ["database", "system", "contacts", "agents", "messaging", "calls", "compliance"],
  },
  operations: {
    "process-state.ts": [],
    "carriers.ts": [],
    "context.ts": ["carriers.ts", "process-state.ts"],
    "sign-in": ["context.ts"],
    accounts: ["context.ts", "process-state.ts", "sign-in"],
    agents: ["context.ts"],
    numbers: ["carriers.ts", "context.ts"],
    registration: ["carriers.ts", "context.ts"],
    calls: ["carriers.ts", "context.ts", "numbers"],
    campaigns: ["carriers.ts", "context.ts"],
    compliance: ["context.ts"],
    contacts: ["context.ts", "compliance"],
    dialing: ["carriers.ts", "context.ts", "process-state.ts"],
    imports: ["carriers.ts", "context.ts", "numbers"],
    messaging: ["carriers.ts", "context.ts"],
    restore: ["context.ts"],
    sending: ["carriers.ts", "context.ts", "process-state.ts"],
    simulator: ["context.ts"],
    system: ["context.ts"],
  },
  adapters: {
    files: [],
    "carrier-addresses": [],
    "vendor-http": ["carrier-addresses"],
    "language-models": ["vendor-http"],
    twilio: ["carrier-addresses", "vendor-http"],
    "dialog-words": [],
    "dialog-reading": ["dialog-words"],
    "dialog-engine": ["dialog-reading", "dialog-words"],
    "offline-speech": [],
    passwords: [],
    "second-factor": [],
    "shared-objects": [],
    "single-sign-on": ["carrier-addresses"],
    simulator: [],
    "sip-messages": [],
    "smpp-pdus": [],
    "smpp-sessions": ["smpp-pdus", "carrier-addresses"],
    "sound-bridge": [],
    "speech-providers": [],
    telnyx: ["carrier-addresses", "vendor-http"],
    "sip-transport": ["sip-messages"],
    "sip-audio": ["sip-messages", "sip-transport"],
    "sip-calls": ["sip-messages", "sip-transport", "carrier-addresses"],
    "twilio-calls": ["vendor-http", "twilio", "sip-calls"],
  },
  http: {
    access: [],
    server: ["access"],
    accounts: ["access", "server"],
    calls: ["server"],
    campaigns: ["server"],
    compliance: ["server"],
    contacts: ["server"],
    messaging: ["server"],
    numbers: ["access", "server"],
    system: ["server"],
    agents: ["server", "calls"],
    simulator: ["server", "calls"],
    "routes.ts": [
      "server",
      "accounts",
      "calls",
      "campaigns",
      "compliance",
      "contacts",
      "messaging",
      "numbers",
      "system",
      "agents",
      "simulator",
    ],
    "app.ts": ["access", "server", "contacts", "messaging", "numbers", "routes.ts"],
  },
  app: {
    demo: [],
    "embedded-postgres": [],
    settings: [],
    process: ["settings"],
    "models.ts": ["settings"],
    "speech.ts": ["settings"],
    plane: ["process", "settings", "models.ts", "speech.ts"],
    "context.ts": ["process", "settings", "models.ts", "speech.ts", "plane"],
    bulk: ["process", "settings", "context.ts"],
    capacity: ["embedded-postgres", "plane", "process", "settings"],
    roles: ["demo", "embedded-postgres", "process", "settings", "speech.ts", "plane", "context.ts", "bulk"],
    command: ["capacity", "demo", "process", "settings", "speech.ts", "context.ts", "roles"],
  },
};

/** These layers are one room each: few enough to be read as one list. */
const ONE_ROOM = ["jobs", "ports"];

/** Folders of tests have rooms too; who imports whom there is nobody's concern. */
const TEST_FOLDERS = ["test/acceptance", "test/integration", "test/support"];

/** Of a room's tests there may be as many as it needs: they stand beside what they test, and are not counted. */
const MOST_FILES = 25;
/** A smaller room is part of another one. */
const FEWEST_FILES = 4;
/** Here a room has the files of its resource of the API, or of its vendor, however few they are. */
const MAY_BE_SMALL = ["contract", "http", "adapters"];
/** What belongs to a layer as a whole: `context.ts`, `routes.ts`. */
const MOST_OWN_FILES = 3;
const MOST_README_LINES = 12;

const folderOf = (layer: string): string => (layer === "contract" ? layer : `src/${layer}`);
const sources = readSources(["src/**/*.ts", "contract/**/*.ts"]).filter(({ path }) => !path.endsWith(".test.ts"));

const layerOf = (path: string): string => path.replace(/^src\//, "").split("/")[0]!;
/** The room of a file, or the file itself where it lies in no room. */
const roomOf = (path: string): string => path.slice(folderOf(layerOf(path)).length + 1).split("/")[0]!;
const layers = [...new Set(sources.map(({ path }) => layerOf(path)))].filter((layer) => !ONE_ROOM.includes(layer));
const roomsOf = (layer: string): string[] => Object.keys(ROOMS[layer] ?? {}).filter((name) => !name.endsWith(".ts"));

test("every file of a layer lies in one of its rooms, two levels deep, but for three of the layer's own", () => {
  assert.deepEqual(Object.keys(ROOMS).sort(), layers.toSorted());
  const lost = sources
    .map(({ path }) => path)
    .filter((path) => !ONE_ROOM.includes(layerOf(path)))
    .filter((path) => {
      const depth = path.slice(folderOf(layerOf(path)).length).split("/").length - 1;
      return !(roomOf(path) in ROOMS[layerOf(path)]!) || depth !== (roomOf(path).endsWith(".ts") ? 1 : 2);
    });
  assert.deepEqual(lost, []);
  for (const layer of layers) {
    const own = Object.keys(ROOMS[layer]!).filter((name) => name.endsWith(".ts"));
    assert.ok(own.length <= MOST_OWN_FILES, `${layer} has ${own.join(", ")} of its own`);
  }
  for (const layer of ONE_ROOM) {
    const files = sources.filter(({ path }) => layerOf(path) === layer);
    assert.ok(files.length <= MOST_FILES, `${layer} has ${files.length} files: it needs rooms`);
    assert.deepEqual(
      files.filter(({ path }) => dirname(path) !== folderOf(layer)).map(({ path }) => path),
      [],
    );
  }
});

test("a room is called as in every other layer, or is one that this layer alone has", () => {
  const rooms = [
    ...layers.flatMap((layer) => roomsOf(layer).map((room) => [layer, room] as const)),
    ...TEST_FOLDERS.flatMap((folder) =>
      globSync(`${folder}/*/`, { cwd: root }).map((path) => [folder, basename(path)] as const),
    ),
  ];
  const strange = rooms.filter(([place, room]) => !NOUNS.includes(room) && !OWN_ROOMS[place]?.includes(room));
  assert.deepEqual(
    strange.map((place) => place.join("/")),
    [],
  );
  const named = Object.entries(OWN_ROOMS).flatMap(([place, own]) => own.map((room) => `${place}/${room}`));
  const there = new Set(rooms.map((place) => place.join("/")));
  assert.deepEqual(
    named.filter((room) => !there.has(room)),
    [],
    "named, but not there",
  );
});

test("rooms of a layer import each other by the table, in which there is no circle", () => {
  const upwards = Object.entries(ROOMS).flatMap(([layer, rooms]) =>
    Object.entries(rooms).flatMap(([room, below], at) =>
      below
        .filter((other) => !Object.keys(rooms).slice(0, at).includes(other))
        .map((other) => `${layer}: ${room} names ${other}, which is not above it`),
    ),
  );
  assert.deepEqual(upwards, []);
  const wrong = sources.flatMap(({ path, imports }) =>
    imports.flatMap((specifier) => {
      const target = resolveImport(path, specifier);
      if (target === undefined || layerOf(target) !== layerOf(path) || ONE_ROOM.includes(layerOf(path))) return [];
      const [room, below] = [roomOf(path), roomOf(target)];
      return room === below || ROOMS[layerOf(path)]![room]?.includes(below) ? [] : [`${path} imports ${target}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test("a room has four to twenty-five files beside its tests", () => {
  const sizes = Map.groupBy(sources, ({ path }) => dirname(path));
  const wrong = layers
    .flatMap((layer) => roomsOf(layer).map((room) => ({ layer, folder: `${folderOf(layer)}/${room}` })))
    .map((room) => ({ ...room, files: sizes.get(room.folder)?.length ?? 0 }))
    .filter(({ layer, files }) => files > MOST_FILES || files < (MAY_BE_SMALL.includes(layer) ? 1 : FEWEST_FILES));
  assert.deepEqual(
    wrong.map(({ folder, files }) => `${folder}: ${files}`),
    [],
  );
});

test("tests of the running service lie in rooms, and what supports them too", () => {
  for (const folder of TEST_FOLDERS) {
    assert.deepEqual(globSync(`${folder}/*.ts`, { cwd: root }), []);
    for (const room of globSync(`${folder}/*/`, { cwd: root })) {
      const files = globSync(`${room}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
      assert.ok(files.length <= MOST_FILES, `${room}: ${files.length}`);
    }
  }
});

test("a room's README begins with one sentence that says what it is about, and has twelve lines at most", () => {
  const rooms = [
    ...layers.flatMap((layer) => roomsOf(layer).map((room) => `${folderOf(layer)}/${room}`)),
    ...TEST_FOLDERS.flatMap((folder) => globSync(`${folder}/*/`, { cwd: root }).map((path) => path.replace(/\/$/, ""))),
  ];
  const wrong = rooms.filter((room) => {
    if (!exists(`${room}/README.md`)) return true;
    const [title, space, sentence, ...rest] = readText(`${room}/README.md`).trimEnd().split("\n");
    if (title !== `# ${room.replace(/^src\//, "")}` || space !== "" || rest.length + 3 > MOST_README_LINES) return true;
    return !/^[A-Z].*[^.]\.$/.test(sentence ?? "") || /\. [A-Z]/.test(sentence!) || (rest[0] ?? "") !== "";
  });
  assert.deepEqual(wrong, []);
});

test("a file's name does not say again what its room says", () => {
  // An operation is called as its function is: createCall is create-call.ts.
  const wrong = sources
    .filter(({ path }) => layerOf(path) !== "operations" && !ONE_ROOM.includes(layerOf(path)))
    .filter(({ path }) => basename(path).startsWith(`${roomOf(path).replace(/s$/, "")}-`));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("docs/architecture.md has these rooms, and follows a text and a call through files that are there", () => {
  const text = readText("docs/architecture.md");
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|(?: ([^|]+) \|)?$/gm)];
  for (const noun of NOUNS) {
    const having = layers.filter((layer) => noun in ROOMS[layer]!).sort();
    const row = rows.find(([, name, , last]) => name === noun && last !== undefined);
    assert.deepEqual(row?.[3]?.match(/[\w-]+/g)?.sort(), having, `the row of ${noun}`);
  }
  for (const layer of layers.filter((layer) => layer in OWN_ROOMS)) {
    const row = rows.find(([, name, , last]) => name === layer && last === undefined);
    assert.deepEqual(row?.[2]?.match(/[\w-]+/g)?.sort(), OWN_ROOMS[layer]!.toSorted(), `the row of ${layer}`);
  }
  for (const journey of ["One inbound text", "One outbound call"]) {
    const [, steps = ""] = text.split(`## ${journey}\n`);
    const lines = steps.split("\n## ")[0]!.match(/^\d+\. .*$/gm) ?? [];
    assert.ok(lines.length > 10, journey);
    for (const line of lines) assert.match(line, /^\d+\. `src\/[\w/-]+\.ts`: \S/);
  }
});
