import { readText } from "./source.ts";

/** The titles of a file's tests, as patterns: an expression in a template stands for any words. */
export function titlesOf(file: string): RegExp[] {
  const calls = readText(file).matchAll(/\btest\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g);
  return [...calls].map(([, plain, template]) => {
    const text = (plain ?? template)!.replace(/\\(.)/g, "$1");
    const parts = template === undefined ? [text] : text.split(/\$\{[^}]*\}/);
    return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".+")}$`);
  });
}
