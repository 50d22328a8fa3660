import { trimEndOf } from "./trim-end.ts";

/** One thing in a text that a phone would make tappable. */
export type Link = {
  /** As written. */
  text: string;
  kind: "link" | "email" | "phone";
};

/**
 * Endings that phones turn into links without `https://`. Every two-letter ending is a country's; the others are the
 * ones in wide use, honest or not. A new ending costs a line here; with a scheme, `www.` or a path any ending is found.
 */
const ENDINGS = new Set(
  "com net org edu gov mil int info biz name pro mobi jobs tel xyz top site online store shop app dev page blog cloud tech club live life work works world today news media link click buzz vip win bid loan loans credit money finance cash bank insure homes house realty estate agency company email group support help chat fun icu cyou cfd sbs rest quest monster bond space website host press social services solutions network center digital software systems zone city guru expert care health legal tax zip mov foo".split(
    " ",
  ),
);

/** Two-letter endings that are English words: `Thanks.It works` is a forgotten space, `thanks.it` is a link. */
const WORD_ENDINGS = /\.(?:It|Is|In|So|At|My|To|No|Am|As|Be|By|Do|Me|We|Us|He|If|Go|An|On|Or|Ok)$/;

const SCHEME = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|hxxps?|(?:javascript|data|tel|sms|mailto|file|intent):)\S*/giu;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;
const HOST =
  /(?<![\p{L}\p{N}@.-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.)+(?:\p{L}{2,24}|xn--[a-z0-9-]{1,59})(?::\d{1,5})?(?:[/?#]\S*)?/giu;
const ADDRESS = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])(?::\d{1,5})?(?:\/\S*)?/g;
const SPELT = /\b[\p{L}\p{N}-]{2,63}\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\sdot\s)\s?\p{L}{2,24}\b/giu;
const PHONE = /(?<![\p{L}\p{N}/.])\+?\(?\d[\d\s().-]{7,20}\d(?!\d)/gu;

/** Dates look like telephone numbers to a pattern, and are no more than that. */
const DATE = /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b/g;

/** Unicode's other full stops and dots, which browsers and phones read as the dot of a name. */
const DOTS = /[。．｡․]/gu;

/** Everything in a text that can be tapped or typed into a browser: links with or without scheme, spelt-out ones, e-mail addresses, numbers. */
export function findLinks(text: string): Link[] {
  const links: Link[] = [];
  let rest = text.normalize("NFKC").replace(DOTS, ".");
  const take = (pattern: RegExp, kind: Link["kind"], isOne: (found: string) => boolean = () => true) => {
    rest = rest.replace(pattern, (found) => {
      const trimmed = trimEndOf(found, ".,!?;:)]}\"'”’");
      if (!isOne(trimmed)) return found;
      links.push({ text: trimmed, kind });
      return " ";
    });
  };
  take(SCHEME, "link");
  if (rest.includes("@")) take(EMAIL, "email");
  if (rest.includes(".")) {
    take(HOST, "link", isHost);
    take(ADDRESS, "link");
  }
  take(SPELT, "link", isSpeltHost);
  if (/\d.*\d/.test(rest)) {
    rest = rest.replace(DATE, " ");
    take(PHONE, "phone", (found) => /^\d{9,15}$/.test(digits(found)));
  }
  return links;
}

function isHost(found: string): boolean {
  const host = found.replace(/[:/?#].*$/su, "");
  if (host.length < found.length || /^www\./i.test(host)) return true;
  const ending = host.slice(host.lastIndexOf(".") + 1).toLowerCase();
  if (ENDINGS.has(ending) || ending.startsWith("xn--")) return true;
  return /^[a-z]{2}$/.test(ending) && !WORD_ENDINGS.test(host) && !/^(?:[ap]\.m|e\.g|i\.e|u\.s|d\.c)$/i.test(host);
}

/** `dot` is a word; only before a common ending is it a way around the rule. */
function isSpeltHost(found: string): boolean {
  const ending = /\p{L}{1,24}$/u.exec(found)?.[0].toLowerCase() ?? "";
  return !/\sdot\s/i.test(found) || ENDINGS.has(ending);
}

const digits = (text: string): string => text.replace(/\D/g, "");

/**
 * Whether a link found in a text is one that its sender may send: an entry of the agent's list is a host
 * (`acme.com`) or an address (`https://acme.com/book`, which allows what is under it). `www.` does not count; another host, another
 * port, a name before an `@` and plain HTTP to a listed HTTPS address do.
 */
export function isAllowedLink(link: string, allowed: readonly string[]): boolean {
  const given = parseLink(link);
  if (given === undefined) return false;
  return allowed.some((entry) => {
    const known = parseLink(entry);
    if (known === undefined || known.host !== given.host) return false;
    if (given.scheme === "http:" && known.scheme !== "http:") return false;
    const root = known.path.replace(/\/$/, "");
    return given.path === root || given.path.startsWith(`${root}/`) || /^[?#]/.test(given.path.slice(root.length));
  });
}

/** Why an entry cannot stand in `allowed_links`, or undefined. */
export function allowedLinkProblem(entry: string): string | undefined {
  const known = parseLink(entry);
  if (known === undefined) return "must be a host name or an http(s) address, without user name or spaces";
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?$/.test(known.host)) return "must name a host with a dot in it";
  return undefined;
}

function parseLink(link: string): { scheme: "http:" | "https:"; host: string; path: string } | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(link) ? link : `https://${link}`;
  if (/[\s\\@]/.test(withScheme) || !URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  // Dot segments are gone after parsing, but an encoded slash or dot would still climb on some servers.
  if (/%2e|%2f|%5c/i.test(url.pathname)) return undefined;
  return {
    scheme: url.protocol,
    host: url.host.replace(/^www\./, ""),
    path: `${url.pathname === "/" ? "" : url.pathname}${url.search}${url.hash}`,
  };
}
