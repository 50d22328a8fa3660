import assert from "node:assert/strict";
import { test } from "node:test";
import { readSources, readText } from "#test/support/source/source.ts";

/** What makes a file or a folder. Without a mode others may read it, as far as the umask of whoever started us lets them. */
const MAKES =
  /(?<![\w.])(?:fs\.|promises\.)?(writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|mkdir|mkdirSync|open|openSync)\(/g;

/** Copies keep the mode of what they copy, so it is set right after. */
const COPIES = /(?<![\w.])(copyFile|copyFileSync|cp|cpSync)\(/g;

const PRIVATE = /\b0o[67]00\b/;

/** The text of a call's arguments, from behind its bracket on. */
function argumentsFrom(text: string, start: number): string {
  let depth = 1;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")") depth--;
    if (depth === 0) return text.slice(start, i);
  }
  return text.slice(start);
}

const importsFiles = (text: string): boolean => /from "node:fs(\/promises)?"/.test(text);
/** Only what comes from node:fs: many things of ours are opened too. */
const isImported = (text: string, name: string): boolean =>
  new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "node:fs(/promises)?"`).test(text);

/** Where a source makes something that is not for its owner alone. */
function openToOthers(text: string): string[] {
  if (!importsFiles(text)) return [];
  const made = [...text.matchAll(MAKES)]
    .filter(([, name]) => isImported(text, name!))
    .map((match) => ({ name: match[1]!, given: argumentsFrom(text, match.index + match[0].length) }))
    .filter(({ name, given }) => !(/^open/.test(name) && /, "r\+?"/.test(given)))
    .filter(({ given }) => !PRIVATE.test(given));
  const copied = [...text.matchAll(COPIES)]
    .filter(([, name]) => isImported(text, name!))
    .map((match) => ({ name: match[1]!, given: text.slice(match.index, match.index + 300) }))
    .filter(({ given }) => !/chmod(Sync)?\([^;]*0o600\)/.test(given));
  return [...made, ...copied].map(({ name, given }) => `${name}(${given.slice(0, 60)}`);
}

test("every file and folder that the service makes is for its owner alone", () => {
  const wrong = readSources(["src/**/*.ts", "bin/**/*.ts"])
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path }) => openToOthers(readText(path)).map((call) => `${path}: ${call}`));

  assert.deepEqual(wrong, []);
});

test("a file without a mode, a folder that others may list and a copy that keeps its mode are seen", () => {
  const from = (names: string, code: string) => `import { ${names} } from "node:fs/promises";\n${code}`;
  const seen = (names: string, code: string) => openToOthers(from(names, code)).length;

  assert.equal(seen("writeFile", 'await writeFile(path, "x");'), 1);
  assert.equal(seen("writeFile", "await writeFile(path, text(), { mode: 0o600 });"), 0);
  assert.equal(seen("mkdir", "await mkdir(path, { recursive: true, mode: 0o755 });"), 1);
  assert.equal(seen("open", 'const file = await open(path, "a");'), 1);
  assert.equal(seen("open", 'const file = await open(path, "r");'), 0);
  assert.equal(seen("copyFile", "await copyFile(a, b);"), 1);
  assert.equal(seen("copyFile", "await copyFile(a, b);\n await chmod(b, 0o600);"), 0);
  assert.equal(seen("readFile", "await line.open(plan);"), 0);
});
