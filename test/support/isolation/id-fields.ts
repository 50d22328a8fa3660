import { randomBytes } from "node:crypto";
import type { JsonSchema } from "#test/support/api/openapi.ts";
import type { Kind } from "./marked-tenant.ts";

/** Where an id stands in a request: a path or query parameter, or a field of the body by its way there. */
export type IdField = {
  at: "path" | "query" | "header" | "body" | "form";
  way: readonly (string | number)[];
  kind: FieldKind;
};

/**
 * What a field names: a thing, or a place in a list. A `position` is one in the log of events, which every tenant counts for itself: it is no
 * other tenant's, whoever has given it.
 */
export type FieldKind = Kind | "cursor" | "position";

/** Fields by name. A name that looks like an id and is not here is one that the matrix cannot place. */
const KIND_OF: Record<string, FieldKind> = {
  org_id: "organization",
  organization_id: "organization",
  organization_ids: "organization",
  user_id: "user",
  assignee: "user",
  agent_id: "agent",
  sms_agent_id: "agent",
  voice_agent_id: "voice_agent",
  list_id: "list",
  lead_id: "lead",
  lead_ids: "lead",
  campaign_id: "campaign",
  message_id: "message",
  thread_id: "thread",
  thread_ids: "thread",
  brand_id: "brand",
  brandId: "brand",
  import_id: "import",
  key_id: "key",
  call_id: "call",
  media_id: "media",
  tenant_id: "tenant",
  phone_number: "phone",
  pagination_key: "cursor",
  after: "position",
  "last-event-id": "position",
};

/** Headers that /openapi.json does not name, since browsers send them by themselves. */
const UNTOLD_HEADERS: Record<string, readonly string[]> = { streamEvents: ["last-event-id"] };

/**
 * Look like ids and are none of ours: what callers or a voice's maker keep, an agent's versions, numbers that calls go to. Those that texts and calls
 * leave from are everybody's at the simulator; test/acceptance/isolation/numbers.test.ts has them on a trunk, where they are not. What a process stood still at
 * is named within its tenant, and comes into being by a fault: test/acceptance/system/system.test.ts has another tenant's. Sessions
 * come into being by signing in: test/acceptance/accounts/team.test.ts has another user's.
 * An Idempotency-Key is the caller's own word: the matrix tries the same one of two tenants.
 */
const NOT_OURS = [
  "idempotency-key",
  "external_id",
  "voice_id",
  "svc_sms_number",
  "outbound_number",
  "agent_outbound_number",
  "agent_outbound_numbers",
  "from_number",
  "to_number",
  "own_number",
  "phone_numbers",
  "task_id",
  "session_id",
  // Of one user alone: test/acceptance/accounts/factors.test.ts has another's.
  "factor_id",
  // Found by whoever signs in: test/acceptance/accounts/single-sign-on.test.ts has another tenant's.
  "provider_id",
  // A filter of the tenant's own log, by things of any kind.
  "object_id",
  "client_id",
  // A business's own, as its EIN.
  "registration_number",
  "version",
  // Accounts are of live mode: test/acceptance/numbers/account-numbers.test.ts has another tenant's.
  "carrier_id",
];

/** Names that mean something of their own in a part of the service. */
const KIND_WITHIN: readonly (readonly [within: string, name: string, kind: Kind])[] = [
  ["/v1/10dlc/", "campaign_id", "ten_dlc_campaign"],
  ["/v1/voice/", "campaign_id", "voice_campaign"],
  ["/v1/voice/", "agent_id", "voice_agent"],
  ["/v1/simulator/", "call", "handset_call"],
];

const LOOKS_LIKE_AN_ID = /(^|[-_])(ids?|keys?|numbers?|refs?|tokens?|cursors?)$|I[dD]s?$|^(to|after|before|since)$/;

export type Request = {
  id: string;
  path: string;
  pathParams: readonly string[];
  query: Record<string, unknown>;
  headers: readonly string[];
  body: JsonSchema | undefined;
  form: JsonSchema | undefined;
};

/** Every field of an operation that may hold an id, and the names that look like one and that nobody has placed. */
export function idFields(request: Request): { fields: IdField[]; unplaced: string[] } {
  const fields: IdField[] = [];
  const unplaced: string[] = [];
  const place = (at: IdField["at"], way: IdField["way"]) => {
    const name = way.findLast((part) => typeof part === "string") as string;
    const [, , within] = KIND_WITHIN.find(([part, word]) => word === name && request.path.startsWith(part)) ?? [];
    // Nobody owns a number; but for those that were bought to call from.
    const isBought = at === "path" && request.path.startsWith("/v1/voice/phone-numbers/");
    const kind = isBought ? "number" : (within ?? KIND_OF[name]);
    if (kind) fields.push({ at, way, kind });
    else if (
      (at === "path" || LOOKS_LIKE_AN_ID.test(name)) &&
      !NOT_OURS.includes(name) &&
      !isNumberOrTime(request, name)
    ) {
      unplaced.push(`${request.id}: ${at} ${way.join(".")}`);
    }
  };
  for (const name of request.pathParams) place("path", [name]);
  for (const name of Object.keys(request.query)) place("query", [name]);
  for (const name of [...request.headers, ...(UNTOLD_HEADERS[request.id] ?? [])]) place("header", [name]);
  const walk = (at: "body" | "form", schema: JsonSchema | undefined, way: IdField["way"]) => {
    for (const branch of schema?.anyOf ?? []) walk(at, branch, way);
    if (schema?.items) walk(at, schema.items, [...way, 0]);
    for (const [name, inner] of Object.entries(schema?.properties ?? {})) {
      const here = [...way, name];
      const known = fields.some((field) => field.at === at && field.way.join() === here.join());
      // Of a list of ids the first.
      const isList = name in KIND_OF && [inner, ...(inner.anyOf ?? [])].some(({ items }) => items && !items.properties);
      if (!known) place(at, isList ? [...here, 0] : here);
      walk(at, inner, here);
    }
  };
  walk("body", request.body, []);
  walk("form", request.form, []);
  return { fields, unplaced: [...new Set(unplaced)] };
}

/** `to` is the number of ours that a handset texts or calls, the time that a clock is set to, and the end of a time. */
const isNumberOrTime = (request: Request, name: string): boolean =>
  name === "to" &&
  ["textFromHandset", "callFromHandset", "moveClock", "getActivity", "getActivityBreakdown"].includes(request.id);

/** An id of the same form that nothing has: a letter or digit for each of the last ones. */
export function neverGiven(id: string, kind: FieldKind): string {
  if (kind === "cursor") return cursorNeverGiven(id);
  if (kind === "position") return String(Number(id) + 1);
  // A request with a phone may make a contact of it, and is then not asked for again.
  if (kind === "phone" || kind === "number") return `${id.slice(0, -7)}563${1_000 + ++phones}`;
  if (kind === "handset_call") return `sim_${Math.floor(Math.random() * 1e9) + 1e9}`;
  if (kind === "thread") return `${id}x${Math.random().toString(36).slice(2, 6)}`;
  const random = [...id.slice(-8)].map((char) => (/\d/.test(char) ? digit() : /[a-z]/i.test(char) ? letter() : char));
  return id.slice(0, -8) + random.join("");
}

/**
 * A page key of the same form and as good as the same place, where no item was: what a list answers to the two must be the same. Keys are a
 * UUIDv7 in base64url, such a one after a time, several words in base64url, a time, or a phone.
 */
function cursorNeverGiven(key: string): string {
  const [, time = "", id] = /^(\d{1,14}\.)?([\w-]{22})$/.exec(key) ?? [];
  // The last bytes of a UUIDv7 are random: those before them say when.
  if (id !== undefined) {
    const when = Buffer.from(id, "base64url").subarray(0, 10);
    return time + Buffer.concat([when, randomBytes(6)]).toString("base64url");
  }
  if (/^\d{4}-/.test(key)) return new Date(Date.parse(key) - 1).toISOString();
  if (/^\+\d+$/.test(key)) return next(key);
  const words = Buffer.from(key, "base64url").toString();
  return Buffer.from(words.includes("|") ? nearby(words) : words).toString("base64url");
}

/** A single number is a row's or a version's, which every thing of anybody's counts from one: there is none that is nobody's. */
const nearby = (words: string): string =>
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.test(words)
    ? words.replace(/(-[0-9a-f]{4}-)[0-9a-f]{12}/, (_, before) => before + randomBytes(6).toString("hex"))
    : next(words);

/** The number after the one that it ends with, or before it where that would be longer. */
const next = (text: string): string =>
  text.replace(/\d+$/, (digits) => {
    const by = /^9+$/.test(digits) ? -1n : 1n;
    return String(BigInt(digits) + by).padStart(digits.length, "0");
  });

/** How many phones and numbers were given as ones that nothing has. */
let phones = 0;

const digit = (): string => String(Math.floor(Math.random() * 10));
/** One that base32, hexadecimal and base64 all have. */
const letter = (): string => "abcdef"[Math.floor(Math.random() * 6)]!;

/** The value with another in one place; what is on the way there and missing is made. */
export function withValue(whole: unknown, way: IdField["way"], value: unknown): unknown {
  const [first, ...rest] = way;
  if (first === undefined) return value;
  if (typeof first === "number") {
    const list = Array.isArray(whole) && whole.length > 0 ? whole : [{}];
    return list.map((item, i) => (i === first ? withValue(item, rest, value) : item));
  }
  return {
    ...(whole as object),
    [first]: withValue((whole as Record<string, unknown> | undefined)?.[first], rest, value),
  };
}
