import { parseParams, unquote } from "./syntax.ts";
import { parseUri, type SipUri } from "./uri.ts";

/** The value of From, To, Contact, Route, Record-Route, Refer-To: an address and the header's own parameters. */
export type NameAddr = {
  display: string;
  /** As written, for a Request-URI or a Route that must be what the other side said. */
  uri: string;
  /** Undefined for a scheme that is not ours. */
  parsed: SipUri | undefined;
  params: ReadonlyMap<string, string>;
};

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Undefined when malformed: an open quote or bracket, no scheme, or a sip URI that is none. */
export function parseNameAddr(text: string): NameAddr | undefined {
  const open = openBracket(text);
  if (open === undefined) return undefined;
  if (open < 0) {
    // Without brackets, everything from the first semicolon is the header's: RFC 3261, 20.10.
    const semicolon = text.indexOf(";");
    const uri = (semicolon < 0 ? text : text.slice(0, semicolon)).trim();
    if (/[?,]/.test(uri)) return undefined;
    return assemble("", uri, semicolon < 0 ? "" : text.slice(semicolon));
  }
  const close = text.indexOf(">", open);
  const after = text.slice(close + 1).trim();
  if (close < 0 || (after !== "" && !after.startsWith(";"))) return undefined;
  return assemble(unquote(text.slice(0, open).trim()), text.slice(open + 1, close), after);
}

function assemble(display: string, uri: string, paramText: string): NameAddr | undefined {
  const params = parseParams(paramText);
  if (params === undefined || !SCHEME.test(uri) || /[\s<>"]/.test(uri)) return undefined;
  const parsed = parseUri(uri);
  if (parsed === undefined && /^(sips?|tel):/i.test(uri)) return undefined;
  return { display, uri, parsed, params };
}

/** Where the address's bracket is; -1 for none; undefined for an open quote. */
function openBracket(text: string): number | undefined {
  if (!text.startsWith('"')) {
    const bracket = text.indexOf("<");
    const semicolon = text.indexOf(";");
    return bracket >= 0 && (semicolon < 0 || bracket < semicolon) ? bracket : -1;
  }
  for (let i = 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') {
      const bracket = text.indexOf("<", i);
      return bracket < 0 ? undefined : bracket;
    }
  }
  return undefined;
}
