import assert from "node:assert/strict";
import { test } from "node:test";
import { type TSchema, Type } from "typebox";
import { nullable, text } from "./shapes.ts";
import { validator } from "./validate.ts";

const wrong = (schema: TSchema, value: unknown) =>
  Object.fromEntries(validator(schema, "body")(value).map(({ field, message }) => [field, message]));

test("every missing and every wrong field is named at once, however many", () => {
  const names = Array.from({ length: 40 }, (_, i) => `field_${i}`);
  const schema = Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));
  assert.deepEqual(wrong(schema, {}), Object.fromEntries(names.map((name) => [name, "is required"])));
  const numbers = Object.fromEntries(names.map((name) => [name, 1]));
  assert.deepEqual(wrong(schema, numbers), Object.fromEntries(names.map((name) => [name, "must be a string"])));
});

test("what is right has no problems, and nothing is coerced", () => {
  const schema = Type.Object({ name: text(5), age: Type.Optional(Type.Integer({ minimum: 1 })) });
  assert.deepEqual(wrong(schema, { name: "Ann", more: {} }), {});
  assert.deepEqual(wrong(schema, { name: " ", age: "1" }), { name: "must not be empty", age: "must be an integer" });
  assert.deepEqual(wrong(schema, { name: "Barbara", age: 0 }), {
    name: "must have at most 5 characters",
    age: "must be >= 1",
  });
  assert.deepEqual(wrong(schema, []), { body: "must be an object" });
  assert.deepEqual(wrong(schema, null), { body: "must be an object" });
});

test("a choice of words is described as one", () => {
  const schema = Type.Object({ kind: Type.Union([Type.Literal("sms"), Type.Literal("voice")]) });
  assert.deepEqual(wrong(schema, { kind: "fax" }), { kind: 'must be one of "sms", "voice"' });
  const optional = Type.Object({ kind: nullable(schema.properties.kind) });
  assert.deepEqual(wrong(optional, { kind: "fax" }), { kind: 'must be one of "sms", "voice"' });
});

test("inside a field that may be null the wrong part is named", () => {
  const hours = Type.Object({ start: Type.String(), days: Type.Array(Type.Integer({ maximum: 7 })) });
  const schema = Type.Object({ hours: nullable(hours), speed: nullable(Type.Number({ maximum: 2 })) });
  assert.deepEqual(wrong(schema, { hours: null, speed: null }), {});
  assert.deepEqual(wrong(schema, { hours: { days: [1, 9] }, speed: 3 }), {
    "hours.start": "is required",
    "hours.days[1]": "must be <= 7",
    speed: "must be <= 2",
  });
  assert.deepEqual(wrong(schema, { hours: 5, speed: "fast" }), {
    hours: "must be an object",
    speed: "must be a number",
  });
});

test("where one of several fields has to be there, and none is, all of them are named", () => {
  const fields = { file: Type.Optional(Type.String()), numbers: Type.Optional(Type.Array(Type.String())) };
  const schema = Type.Object(fields, { anyOf: [{ required: ["file"] }, { required: ["numbers"] }] });
  assert.deepEqual(wrong(schema, { file: "" }), {});
  assert.deepEqual(wrong(schema, { text: "x" }), { file: "or numbers is required" });
});

test("an error in an item that may be a word or an object is described by the kind of the item", () => {
  const item = Type.Union([Type.String(), Type.Object({ name: Type.String() })]);
  assert.deepEqual(wrong(Type.Object({ items: Type.Array(item) }), { items: ["a", { name: 1 }, {}, 5] }), {
    "items[1].name": "must be a string",
    "items[2].name": "is required",
    "items[3]": "must be a string or object",
  });
});

test("a field that another one asks for is named when it is missing", () => {
  const schema = Type.Object(
    { kind: Type.String(), voice: Type.Optional(Type.String()) },
    { anyOf: [{ properties: { kind: { not: { const: "voice" } } } }, { required: ["voice"] }] },
  );
  assert.deepEqual(wrong(schema, { kind: "sms" }), {});
  assert.deepEqual(wrong(schema, { kind: "voice" }), { voice: "is required" });
  assert.deepEqual(wrong(schema, { kind: "voice", voice: 5 }), { voice: "must be a string" });
});

test("other fields may be let in by their type alone, and each wrong one is named", () => {
  const scalar = Type.Unsafe<string | number | null>({ type: ["string", "number", "null"], maxLength: 3 });
  const schema = Type.Object({ name: nullable(Type.String()) }, { additionalProperties: scalar });
  assert.deepEqual(wrong(schema, { name: null, a: 1, b: "x", c: null }), {});
  assert.deepEqual(wrong(schema, { name: 1, a: {}, b: "long" }), {
    name: "must be a string",
    a: "must be a string or number",
    b: "must have at most 3 characters",
  });
});
