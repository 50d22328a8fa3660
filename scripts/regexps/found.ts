import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAst } from "rolldown/parseAst";

/** A regular expression of the program. `place` is `file:line`. */
export type Found = { place: string; source: string; flags: string };

/** What runs against other people's text; tests and the tools of development do not. */
const PATTERNS = ["src/**/*.ts", "contract/**/*.ts", "console/src/**/*.{ts,tsx}"];

type Node = { type: string; start: number; [key: string]: unknown };
type Built = { file: string; line: number };

/**
 * Every regular expression of the tree at `root`: literals, those that are built while modules load, and the patterns of schemas.
 * `unseen` are the places that build one later, out of what nobody can know here.
 */
export async function findRegexps(root: string): Promise<{ found: Found[]; unseen: string[] }> {
  const found: Found[] = [];
  const built: Built[] = [];
  const files = globSync(PATTERNS, { cwd: root })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .sort();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const lineOf = (at: number) => text.slice(0, at).split("\n").length;
    for (const node of nodesOf(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }, file))) {
      const regex = node.regex as { pattern: string; flags: string } | undefined;
      if (node.type === "Literal" && regex) {
        found.push({ place: `${file}:${lineOf(node.start)}`, source: regex.pattern, flags: regex.flags });
      } else if (isConstruction(node)) built.push({ file, line: lineOf(node.start) });
    }
  }
  const loaded = await whileLoading(root, [
    ...new Set([...built.map(({ file }) => file), ...files.filter((file) => file.startsWith("contract/"))]),
  ]);
  const seen = new Set(loaded.map(({ place }) => place));
  const unseen = built.map(({ file, line }) => `${file}:${line}`).filter((place) => !seen.has(place));
  return { found: [...found, ...loaded], unseen };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
    return;
  }
  if (typeof (value as Node).type === "string") yield value as Node;
  for (const [key, inner] of Object.entries(value)) if (key !== "value") yield* nodesOf(inner);
  if ((value as Node).type === "Property") yield* nodesOf((value as Node).value);
}

const isConstruction = (node: Node): boolean =>
  (node.type === "NewExpression" || node.type === "CallExpression") &&
  (node.callee as Node).type === "Identifier" &&
  (node.callee as Node).name === "RegExp";

/** What `RegExp` is called with while these modules load, and the patterns of the schemas that they export. */
async function whileLoading(root: string, files: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  const original = globalThis.RegExp;
  const keep = (regexp: RegExp): RegExp => {
    const place = placeIn(root, new Error().stack ?? "");
    if (place !== undefined) found.push({ place, source: regexp.source, flags: regexp.flags });
    return regexp;
  };
  globalThis.RegExp = new Proxy(original, {
    construct: (_, [source, flags]) => keep(new original(source, flags)),
    apply: (_, __, [source, flags]) => keep(original(source, flags)),
  });
  try {
    for (const file of files) {
      const exported: unknown = await import(pathToFileURL(join(root, file)).href);
      for (const pattern of patternsIn(exported, new Set())) found.push({ place: file, source: pattern, flags: "u" });
    }
  } finally {
    globalThis.RegExp = original;
  }
  return found;
}

function placeIn(root: string, stack: string): string | undefined {
  const frame = stack
    .split("\n")
    .find((line) => line.includes(`${pathToFileURL(root).href}/`) && !line.includes("/scripts/"));
  const [, file, line] = /\/((?:src|contract)\/[^:]+):(\d+):\d+/.exec(frame ?? "") ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

/** `pattern` is JSON Schema's; each schema once. */
function* patternsIn(value: unknown, seen: Set<unknown>): Generator<string> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, inner] of Object.entries(value)) {
    if (key === "pattern" && typeof inner === "string") yield inner;
    else yield* patternsIn(inner, seen);
  }
}
