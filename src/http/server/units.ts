import type { Operation } from "#contract/values/operation.ts";

type Json = { [name: string]: unknown };

/** A unit in words, and what says it already. */
type Unit = { words: string; said: RegExp };

const MILLISECONDS: Unit = { words: "milliseconds", said: /millisecond/i };
const INSTANT: Unit = { words: "ISO 8601 in UTC, with milliseconds", said: /ISO 8601/ };

/** The units of fields by their names, as the contract names them. */
const BY_NAME: readonly (readonly [ending: RegExp, unit: Unit])[] = [
  [/(^|_)ms$/, MILLISECONDS],
  [/_seconds$/, { words: "seconds", said: /second/i }],
  [/_minutes$/, { words: "minutes", said: /minute/i }],
  [/_bytes$/, { words: "bytes", said: /byte/i }],
  [/^cost$/, { words: "US dollars", said: /dollar/i }],
  [/^(to|from|phone|own|svc_sms|outbound|agent_outbound)_number$/, { words: "E.164", said: /E\.164/ }],
];

/**
 * Adds to the description of each field its unit, unless it says it: by the field's name, of a time by its format. The numbers in a field that is an
 * object without a name of its own, such as the percentiles of `duration_ms`, have its unit.
 */
export function withUnits(at: unknown): unknown {
  if (Array.isArray(at)) return at.map(withUnits);
  if (typeof at !== "object" || at === null) return at;
  const { properties, ...rest } = at as Json;
  const other = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, withUnits(value)]));
  if (typeof properties !== "object" || properties === null) return { ...(at as Json), ...other };
  const fields = Object.entries(properties).map(([name, field]) => {
    const [, unit] = BY_NAME.find(([ending]) => ending.test(name)) ?? [];
    return [name, withUnits(unit ? measured(field as Json, unit) : dated(field as Json))];
  });
  return { ...(at as Json), ...other, properties: Object.fromEntries(fields) };
}

/** Of a union each branch, of an object its numbers. */
function measured(field: Json, unit: Unit): Json {
  const { anyOf, type, properties, title } = field;
  if (Array.isArray(anyOf)) return { ...field, anyOf: anyOf.map((branch) => measured(branch, unit)) };
  if (type === "integer" || type === "number" || type === "string") return describedBy(field, unit);
  if (typeof properties !== "object" || properties === null || title !== undefined) return field;
  const inside = Object.entries(properties).map(([name, inner]) => {
    const isNumber = ["integer", "number"].includes((inner as Json).type as string);
    return [name, isNumber ? describedBy(inner as Json, unit) : inner];
  });
  return { ...field, properties: Object.fromEntries(inside) };
}

function dated(field: Json): Json {
  const { anyOf, format } = field;
  if (Array.isArray(anyOf)) return { ...field, anyOf: anyOf.map(dated) };
  return format === "date-time" ? describedBy(field, INSTANT) : field;
}

function describedBy(field: Json, { words, said }: Unit): Json {
  const { description } = field;
  if (typeof description !== "string") return { ...field, description: words[0]!.toUpperCase() + words.slice(1) };
  return said.test(description) ? field : { ...field, description: `${description} (${words})` };
}

const REAL = "real time";
const TENANTS = "the tenant's own time";

/** By tag, what times the answers are in real time: all but those listed, or those listed alone. Every other time is the tenant's own. */
const REAL_TIMES: Readonly<Record<string, { but: readonly string[] } | { only: readonly string[] }>> = {
  "API keys": { but: [] },
  "Console sessions": { but: [] },
  "Second factors": { but: [] },
  "Single sign-on": { but: [] },
  "Organizations and users": { but: [] },
  "Request log": { but: [] },
  "Demo data": { but: [] },
  Carriers: { but: [] },
  System: { but: ["delayed_since"] },
  "Phone numbers": { only: ["created_at"] },
  Sending: { only: ["stopped_at"] },
};

function isReal(tag: string, name: string): boolean {
  const times = REAL_TIMES[tag];
  return times !== undefined && ("but" in times ? !times.but.includes(name) : times.only.includes(name));
}

/** Adds to the description of each time in an operation's answer which clock it is by. */
export const withClocks = ({ tag }: Pick<Operation, "tag">, at: unknown): unknown => clocked(tag, at, "");

function clocked(tag: string, at: unknown, name: string): unknown {
  if (Array.isArray(at)) return at.map((item) => clocked(tag, item, name));
  if (typeof at !== "object" || at === null) return at;
  const inside: Json = {};
  for (const [key, value] of Object.entries(at)) {
    inside[key] =
      key === "properties" && typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([field, schema]) => [field, clocked(tag, schema, field)]))
        : clocked(tag, value, name);
  }
  return inside.format === "date-time" ? described(inside, isReal(tag, name) ? REAL : TENANTS) : inside;
}

function described(schema: Json, clock: string): Json {
  const { description } = schema;
  const said = typeof description === "string" ? `${description} (${clock})` : clock[0]!.toUpperCase() + clock.slice(1);
  return { ...schema, description: said };
}
