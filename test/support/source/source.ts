import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** One source file, taken apart: `code` without comments and with every literal as its number: `import "0"`. */
export type Source = {
  readonly path: string;
  readonly lines: number;
  readonly code: string;
  /** What is in the literals, by number; an expression inside a template reads as `$`. */
  readonly literals: readonly string[];
  /** As written: `./id.ts`, `#domain/values/id.ts`, `node:fs`, `pg`. */
  readonly imports: readonly string[];
};

/** All files of these patterns, by their path from the root. */
export function readSources(patterns: readonly string[]): Source[] {
  return globSync(patterns, { cwd: root })
    .sort()
    .map((path) => takeApart(path, readFileSync(join(root, path), "utf8")));
}

/** A `/` after one of these begins a regular expression, elsewhere it divides. */
const BEFORE_REGEXP = /(?:^|[([{,;:=!&|?+\-*%<>~^}]|=>|\b(?:return|typeof|case|in|of|await|yield))\s*$/;

/** Enough of a lexer to distinguish code from comments, literals and regular expressions. */
export function takeApart(path: string, text: string): Source {
  const literals: string[] = [];
  let at = 0;

  /** The code from `at` to the end, or to the brace that closes a template's expression. */
  function code(untilBrace: boolean): string {
    let out = "";
    for (let depth = 0; at < text.length; ) {
      const char = text[at]!;
      if (text.startsWith("//", at)) at = indexOrEnd(text.indexOf("\n", at));
      else if (text.startsWith("/*", at)) at = indexOrEnd(text.indexOf("*/", at) + 2);
      else if (char === '"' || char === "'") out += quoted(char);
      else if (char === "`") out += template();
      else if (char === "/" && BEFORE_REGEXP.test(out.slice(-20))) out += regexp();
      else {
        if (char === "{") depth++;
        if (char === "}" && depth-- === 0 && untilBrace) return out;
        out += char;
        at++;
      }
    }
    return out;
  }

  const indexOrEnd = (index: number) => (index <= 1 ? text.length : index);

  const keep = (literal: string) => `"${literals.push(literal) - 1}"`;

  function quoted(quote: string): string {
    let literal = "";
    for (at++; at < text.length && text[at] !== quote; at++) {
      if (text[at] === "\\") at++;
      literal += text[at];
    }
    at++;
    return keep(literal);
  }

  function template(): string {
    let literal = "";
    let expressions = "";
    for (at++; at < text.length && text[at] !== "`"; ) {
      if (text.startsWith("${", at)) {
        at += 2;
        expressions += `+(${code(true)})`;
        literal += "$";
        at++;
        continue;
      }
      if (text[at] === "\\") at++;
      literal += text[at++];
    }
    at++;
    return keep(literal) + expressions;
  }

  function regexp(): string {
    let inClass = false;
    for (at++; at < text.length && (inClass || text[at] !== "/"); at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === "[") inClass = true;
      else if (text[at] === "]") inClass = false;
    }
    at++;
    return "/regexp/";
  }

  const bare = code(false);
  // The words and quotes of a page's text read like code here: an import is a whole statement, or a call.
  const imports = importsOf(bare, literals);
  return { path, lines: text.split("\n").length - 1, code: bare, literals, imports };
}

/** The file that an import names, from the root; undefined for what is not ours. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  if (!specifier.startsWith("#")) return undefined;
  const [, folder, rest] = /^#([^/]+)\/(.*)$/.exec(specifier) ?? [];
  return folder === "contract" || folder === "test" ? `${folder}/${rest}` : `src/${folder}/${rest}`;
}

/** The package that an import names: `ai/test` is of `ai`. Undefined for ours, Node's own and what a build makes up. */
export function packageOf(specifier: string): string | undefined {
  if (/^[.#]|^(node|virtual):/.test(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export const exists = (path: string): boolean => existsSync(join(root, path));

export const readText = (path: string): string => readFileSync(join(root, path), "utf8");

/** What a source imports once the types are gone. */
export const runtimeImports = ({ code, literals }: Source): string[] =>
  importsOf(code.replace(/\b(?:import|export)\s+type\s[^;]*?from\s*"\d+"/g, ""), literals);

const importsOf = (code: string, literals: readonly string[]): string[] =>
  [...code.matchAll(/\b(?:(?:import|export)\b[\w\s{},*$]*\bfrom\s*|import\s*\(?\s*)"(\d+)"/g)].map(
    ([, number]) => literals[Number(number)]!,
  );
