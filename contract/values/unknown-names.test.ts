import assert from "node:assert/strict";
import { test } from "node:test";
import { type TSchema, Type } from "typebox";
import { nullable } from "./shapes.ts";
import { unknownNames, warned, warner } from "./unknown-names.ts";
import { validator } from "./validate.ts";

const found = (schema: TSchema, value: unknown) =>
  unknownNames(schema)(value).map(({ field, meant }) => [field, meant]);
const agent = Type.Object({
  name: Type.String(),
  starting_message: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});

test("a name with a letter too many, missing, wrong or swapped, or two of these, is one that is known", () => {
  for (const name of [
    "starting_mesage",
    "starting_messsage",
    "starting_nessage",
    "startign_message",
    "startingmesage",
    "startingMessage",
    "tsarting_messaeg",
    "starting_messages",
    "tarting_message",
  ]) {
    assert.deepEqual(found(agent, { [name]: 1 }), [[name, "starting_message"]]);
  }
});

test("three letters off, and two in a short name, is another name", () => {
  for (const name of ["start_message", "starting_mess", "page", "type", "tags", "x", "t01", "naem1"]) {
    assert.deepEqual(found(agent, { [name]: 1 }), [[name, undefined]]);
  }
  assert.deepEqual(found(agent, { nmae: 1, too: 2 }), [
    ["nmae", "name"],
    ["too", "to"],
  ]);
});

test("a name is no misspelling of one that was given besides", () => {
  assert.deepEqual(found(agent, { name: "Ann", names: [] }), [["names", undefined]]);
  assert.deepEqual(found(agent, { names: [] }), [["names", "name"]]);
});

test("of several known names the nearest is meant, whatever their order", () => {
  const schema = Type.Object({ outbound_numbers: Type.Any(), outbound_number: Type.Any() });
  assert.deepEqual(found(schema, { outbound_numbe: 1 }), [["outbound_numbe", "outbound_number"]]);
});

test("what the answer has may be sent back, however near it is to what can be set", () => {
  const brand = Type.Object({ state: Type.String() });
  const answer = Type.Object({ brands: Type.Array(nullable(Type.Object({ status: Type.String() }))) });
  assert.deepEqual(unknownNames(brand)({ status: "ACTIVE" }), [{ field: "status", meant: "state" }]);
  assert.deepEqual(unknownNames(brand, answer)({ status: "ACTIVE" }), [{ field: "status", meant: undefined }]);
});

test("objects and lists inside are looked at, and maps of any names are not", () => {
  const step = Type.Object({ day: Type.Integer(), message: Type.String() });
  const schema = Type.Object({
    steps: nullable(Type.Array(step)),
    fields: Type.Array(Type.Union([Type.String(), Type.Object({ name: Type.String() })])),
    contact: Type.Object({ first_name: Type.String(), home: step }, { additionalProperties: true }),
    counts: Type.Record(Type.String(), step),
    what: Type.Unknown(),
  });
  const value = {
    steps: [
      { day: 1, message: "" },
      { day: 1, mesage: "", more: 1 },
    ],
    fields: ["a", { nam: "b" }],
    contact: { frist_name: "", home: { dya: 1 } },
    counts: { a: { dya: 1 } },
    what: { whta: 1 },
  };
  assert.deepEqual(found(schema, value), [
    ["steps[1].mesage", "message"],
    ["steps[1].more", undefined],
    ["fields[1].nam", "name"],
  ]);
  assert.deepEqual(
    found(Type.Object({ first_name: Type.String() }, { additionalProperties: true }), { frist_name: 1 }),
    [],
  );
});

test("a value of another kind has no names, and tenant_id is known everywhere", () => {
  for (const value of [null, undefined, 5, "text", [{ nmae: 1 }]]) assert.deepEqual(found(agent, value), []);
  assert.deepEqual(found(agent, { tenant_id: "tnt_1" }), []);
  assert.deepEqual(found(Type.Object({}), { tenant_id: "tnt_1", a: 1 }), [["a", undefined]]);
});

test("long and countless names are cut, and names of every object are harmless", () => {
  const long = "n".repeat(10_000);
  assert.deepEqual(found(agent, { [long]: 1, "": 1, constructor: 1, toString: 1 }), [
    ["n".repeat(100), undefined],
    ['""', undefined],
    ["constructor", undefined],
    ["toString", undefined],
  ]);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field_${i}`, 1]));
  assert.equal(found(agent, many).length, 100);
});

test("a misspelt name is a problem that says what was meant, before those of what is missing", () => {
  assert.deepEqual(validator(agent, "body")({ nmae: "Ann", more: 1 }), [
    { field: "nmae", message: "is not a known field, did you mean name?" },
    { field: "name", message: "is required" },
  ]);
  assert.deepEqual(validator(agent, "querystring")({ name: "Ann", too: "x" }), [
    { field: "too", message: "is not a known parameter, did you mean to?" },
  ]);
});

test("what is taken all the same is named in the answer, which is the same without it", () => {
  const warnings = warner(agent, "field")({ name: "Ann", more: 1 });
  assert.deepEqual(warnings, ["more is not a known field: it was ignored"]);
  assert.deepEqual(warned({ id: 1 }, warnings), { id: 1, warnings });
  assert.deepEqual(warned({ id: 1 }, []), { id: 1 });
});
