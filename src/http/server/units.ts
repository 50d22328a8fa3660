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
