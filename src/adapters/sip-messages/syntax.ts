/** RFC 3261, 25.1: what a method, a header's name or a parameter's name is made of. */
export const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

/**
 * Splits at a separator that is outside of quotes and angle brackets, trimmed, empty parts dropped. Undefined when a quote or a bracket
 * is left open: what follows it could be anything.
 */
export function splitOutside(text: string, separator: "," | ";"): string[] | undefined {
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isQuoted) {
      if (char === "\\") i++;
      else if (char === '"') isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === "<") isBracketed = true;
    else if (char === ">") isBracketed = false;
    else if (char === separator && !isBracketed) {
      parts.push(text.slice(begin, i));
      begin = i + 1;
    }
  }
  if (isQuoted || isBracketed) return undefined;
  parts.push(text.slice(begin));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Whether two separators follow each other outside of quotes and brackets: what is to be between them is missing. */
export function lacksPart(text: string): boolean {
  let isQuoted = false;
  let isBracketed = false;
  let wasSeparator = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (isQuoted) {
      if (char === "\\") i++;
      else if (char === '"') isQuoted = false;
      continue;
    }
    if (char === '"') isQuoted = true;
    else if (char === "<") isBracketed = true;
    else if (char === ">") isBracketed = false;
    const isSeparator = !isBracketed && (char === ";" || char === ",");
    if (isSeparator && wasSeparator) return true;
    if (isSeparator || (char !== " " && char !== "\t")) wasSeparator = isSeparator;
  }
  return false;
}

/** `;a=1;b` by name in lower case; a parameter without a value has "". Quotes are taken off. Undefined when malformed. */
export function parseParams(text: string): Map<string, string> | undefined {
  const parts = splitOutside(text, ";");
  if (parts === undefined) return undefined;
  const params = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name === "") return undefined;
    if (!params.has(name)) params.set(name, equals < 0 ? "" : unquote(part.slice(equals + 1).trim()));
  }
  return params;
}

export function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replace(/\\([\s\S])/g, "$1")
    : text;
}

export function quote(text: string): string {
  return `"${text.replace(/[\r\n]+/g, " ").replace(/(["\\])/g, "\\$1")}"`;
}
