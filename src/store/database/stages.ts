// What one part of a statement leaves for an `insert` in another Citus sends to every server, and while one of them is down the statement fails for every
// tenant. So on a distributed database such a statement is asked as several, its stages, one after another in a transaction, each with the rows of those before.

type Part = { name: string; isMaterialized: boolean; body: string };

/** One of the statements that another becomes. */
export type Stage = {
  /** By which later stages read its rows; "" of the last, whose answer is the whole statement's. */
  name: string;
  /** Parts that it has before its own text. */
  parts: readonly Part[];
  text: string;
  /** The stages before it whose rows it reads. */
  reads: readonly string[];
};

export type Column = { name: string; type: string };

/** The stages of a statement, one part of which adds rows; undefined of any other. */
export function stagesOf(text: string): readonly Stage[] | undefined {
  const { parts, last } = partsOf(text);
  if (!parts.some(isInsert)) return undefined;
  const all = [...parts, { name: "", isMaterialized: false, body: last }];
  const readers = all.map((part) => readersOf(part, all));
  /** By part, the one of whose stage it is; undefined of one that only says what others have, and is repeated in them. */
  const home: (Part | undefined)[] = [];
  let next = all.at(-1)!;
  for (const [i, part] of [...all.entries()].reverse()) {
    if (isInsert(part) || part === all.at(-1)) next = part;
    else if (isSettled(part, all)) continue;
    else if (readers[i]!.some((reader) => home[all.indexOf(reader)] !== next)) next = part;
    home[i] = next;
  }
  return all.flatMap((part, i) => (home[i] === part ? [stageOf(part, all, home)] : []));
}

/** A part that mentions no table says the same wherever it stands. */
const isSettled = ({ body }: Part, all: readonly Part[]): boolean =>
  [...body.matchAll(/\b(?:into|update)\s+(\w+)|\b(?:from|join)\s+(\w+)\b(?!\s*\()/g)].every(([, changed, read]) =>
    all.some(({ name }) => name === (changed ?? read)),
  );

const isInsert = ({ body }: Part): boolean => /^\s*insert\b/.test(body);
const mentions = (body: string, { name }: Part): boolean => body.match(/\w+/g)?.some((word) => word === name) ?? false;

/** The parts that read or change tables by this one's rows, also through parts that only say what others have. */
function readersOf(part: Part, all: readonly Part[]): Part[] {
  const after = all.slice(all.indexOf(part) + 1).filter(({ body }) => mentions(body, part));
  return after.flatMap((reader) =>
    isSettled(reader, all) && reader !== all.at(-1) ? readersOf(reader, all) : [reader],
  );
}

function stageOf(part: Part, all: readonly Part[], home: readonly (Part | undefined)[]): Stage {
  const reads = new Set<string>();
  const inside = new Set(all.filter((other, i) => home[i] === part && other !== part));
  const look = ({ body }: Part, before: number) => {
    for (const [i, other] of all.slice(0, before).entries()) {
      if (!mentions(body, other)) continue;
      if (home[i] === other) reads.add(other.name);
      else if (home[i] === undefined) {
        inside.add(other);
        look(other, i);
      }
    }
  };
  for (const one of [...inside, part]) look(one, all.indexOf(one));
  return { name: part.name, parts: all.filter((one) => inside.has(one)), text: part.body, reads: [...reads] };
}

/** A stage's text, and the whole statement's values that it takes; after these come the rows of what it reads, each as JSON of texts. */
export function textOf(
  { parts, text, reads }: Stage,
  columns: ReadonlyMap<string, readonly Column[]>,
): { text: string; values: readonly number[]; reads: readonly string[] } {
  const bodies = [...parts.map(({ body }) => body), text];
  const values = [...new Set(bodies.flatMap((body) => [...body.matchAll(/\$(\d{1,3})/g)].map(([, n]) => Number(n))))];
  const numbered = (body: string) =>
    body.replace(/\$(\d{1,3})/g, (_, n: string) => `$${values.indexOf(Number(n)) + 1}`);
  // One that adds rows and returns none is read by nobody: a word of the text is its name too.
  const read = reads.filter((name) => columns.get(name)!.length > 0);
  const given = read.map((name, i) => `${name} as (${rowsOf(columns.get(name)!, values.length + i + 1)})`);
  const made = parts.map(
    ({ name, isMaterialized, body }) => `${name} as ${isMaterialized ? "materialized " : ""}(${numbered(body)})`,
  );
  const before = [...given, ...made];
  return {
    text: `${before.length > 0 ? `with ${before.join(",\n")}\n` : ""}${numbered(text)}`,
    values,
    reads: read,
  };
}

function rowsOf(columns: readonly Column[], parameter: number): string {
  const quoted = columns.map(({ name, type }) => ({ name: `"${name.replaceAll('"', '""')}"`, type }));
  const casts = quoted.map(({ name, type }) => `given.${name}::${type} as ${name}`);
  const texts = quoted.map(({ name }) => `${name} text`);
  return `select ${casts.join(", ")} from jsonb_to_recordset($${parameter}::jsonb) as given (${texts.join(", ")})`;
}

/** The parts of a statement that begins with `with`, and what comes after them. */
function partsOf(written: string): { parts: Part[]; last: string } {
  const text = written.replace(/--.*/g, "");
  const parts: Part[] = [];
  let at = pastSpace(text, 0);
  if (!/^with\s+(?!recursive\b)/.test(text.slice(at))) return { parts, last: text };
  at += "with".length;
  for (;;) {
    at = pastSpace(text, at);
    const head = /^(\w+) as (materialized )?\(/.exec(text.slice(at));
    if (head === null) throw new Error(`no part of a statement begins here: ${text.slice(at, at + 60)}`);
    const begin = at + head[0].length;
    const end = closing(text, begin);
    parts.push({ name: head[1]!, isMaterialized: head[2] !== undefined, body: text.slice(begin, end) });
    at = pastSpace(text, end + 1);
    if (text[at] !== ",") return { parts, last: text.slice(end + 1) };
    at++;
  }
}

function pastSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at]!.trim() === "") at++;
  return at;
}

/** Where the bracket ends whose inside begins at `begin`. */
function closing(text: string, begin: number): number {
  let depth = 1;
  for (const { 0: token, index } of text.slice(begin).matchAll(/'[^']*'|[()]/g)) {
    if (token === "(") depth++;
    else if (token === ")" && --depth === 0) return begin + index;
  }
  throw new Error("a statement's bracket does not end");
}
