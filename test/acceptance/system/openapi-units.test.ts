import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "#test/support/api/openapi.ts";
import { startParley } from "#test/support/api/parley.ts";

/** What the description of a field of this name has to say, as a reader would look for it. */
const WANTED: readonly (readonly [name: RegExp, unit: RegExp])[] = [
  [/(^|_)ms$/, /\b(milliseconds?|ms)\b/i],
  [/(^|_)seconds$/, /\bseconds?\b/i],
  [/(^|_)minutes$/, /\bminutes?\b/i],
  [/(^|_)bytes$/, /\bbytes?\b/i],
  [/duration|latency|delay(_|$)/, /milliseconds|seconds|minutes|days/i],
  [/cents|cost|price|amount/, /cents|dollars|currency/i],
  [/(to|from|phone|own|sms|outbound)_number$/, /E\.164/],
];
const NUMBERS = ["integer", "number"];

test("every field of the OpenAPI document that has a unit says it", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { body: document } = await api.get("/openapi.json", { key: null });
  const silent: string[] = [];
  let measured = 0;
  const look = (at: unknown, where: string): void => {
    if (at === null || typeof at !== "object") return;
    const { properties } = at as { properties?: unknown };
    if (properties !== null && typeof properties === "object") {
      for (const [name, field] of Object.entries(properties as Record<string, JsonSchema>)) {
        for (const unit of unitsOf(name, field)) {
          measured++;
          if (!unit.test(said(field))) silent.push(`${where}.${name}: ${said(field) || "no description"}`);
        }
      }
    }
    for (const [name, inner] of Object.entries(at)) look(inner, `${where}/${name}`);
  };
  look(document.components.schemas, "");
  look(document.paths, "paths");
  t.diagnostic(`${measured} fields have a unit`);
  assert.deepEqual(silent, []);
  assert.ok(measured > 200, `${measured}`);
});

const branches = (field: JsonSchema): JsonSchema[] => [field, ...(field.anyOf ?? [])];

/** The descriptions of a field, of each of its branches and, where it is an object, of its numbers. */
const said = (field: JsonSchema): string =>
  branches(field)
    .flatMap((branch) => [branch, ...Object.values(branch.properties ?? {})])
    .map(({ description }) => description ?? "")
    .join(" ");

/** Numbers by their names, money and numbers of phones too where they are text, and times by their format. */
function unitsOf(name: string, field: JsonSchema): RegExp[] {
  const types = branches(field).flatMap(({ type }) => type ?? []);
  const isNumber = types.some((type) => NUMBERS.includes(type));
  const isValue = isNumber || types.includes("string");
  const isTime = branches(field).some(({ format }) => format === "date-time");
  return [
    ...(isTime ? [/ISO 8601/] : []),
    // Contacts have an interest_rate, in words of whoever sent it.
    ...(isNumber && /_rate$/.test(name) ? [/0 to 1/] : []),
    ...(isValue && !isTime ? WANTED.filter(([word]) => word.test(name)).map(([, unit]) => unit) : []),
  ];
}
