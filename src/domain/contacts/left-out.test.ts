import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#domain/values/errors.ts";
import { readLeads } from "./lead.ts";
import { refuseNobody, sortOut } from "./left-out.ts";

const OWN = "+12125550100";
const sorted = (items: readonly unknown[]) =>
  sortOut(readLeads(items, "contacts"), { items, field: "contacts", own: [OWN] });

test("of several contacts with one number the first is taken with its own fields, and the others say which it was", () => {
  const { taken, leftOut } = sorted([
    { phone_number: "+12125550101", first_name: "Ann" },
    { phone_number: "+12125550102" },
    { phone_number: "(212) 555-0101", first_name: "Anna", city: "Reno" },
    { phone_number: "1-212-555-0101" },
  ]);
  assert.deepEqual(
    taken.map(({ index, phone, fields }) => [index, phone, fields]),
    [
      [0, "+12125550101", { first_name: "Ann" }],
      [1, "+12125550102", {}],
    ],
  );
  const duplicate = {
    value: "+12125550101",
    reason: "duplicate",
    error: "has the number of contacts[0]",
    duplicate_of: 0,
  };
  assert.deepEqual(leftOut, [
    { index: 2, ...duplicate },
    { index: 3, ...duplicate },
  ]);
});

test("what is no number is reported as it was given, the campaign's own number as such, all in the order of the request", () => {
  const { taken, leftOut } = sorted([
    { phone_number: OWN },
    { phone_number: "911" },
    { phone_number: "+12125550101" },
    { phone_number: "(212) 555-0100" },
    {},
    { phone_number: null },
    { phone_number: "" },
    { phone_number: "x".repeat(100) },
  ]);
  assert.equal(taken.length, 1);
  assert.deepEqual(
    leftOut.map(({ index, value, reason, duplicate_of }) => [index, value, reason, duplicate_of]),
    [
      [0, OWN, "own_number", null],
      [1, "911", "invalid_number", null],
      [3, OWN, "own_number", null],
      [4, null, "invalid_number", null],
      [5, null, "invalid_number", null],
      [6, null, "invalid_number", null],
      [7, "x".repeat(64), "invalid_number", null],
    ],
  );
  assert.equal(leftOut[1]!.error, "must not be an emergency or service number");
});

test("a campaign without anybody is refused by one sentence that names what was to bring contacts", () => {
  const refused = (items: unknown[], listed = false): string => {
    try {
      refuseNobody(0, { field: "contacts", leftOut: sorted(items).leftOut, listed });
    } catch (error) {
      if (error instanceof AppError) return `${error.status} ${error.message}`;
    }
    return "taken";
  };
  assert.equal(refused([{}]), "400 contacts has nobody who can be contacted: the first has no phone_number");
  assert.equal(
    refused([{ phone_number: OWN }], true),
    "400 contacts has nobody who can be contacted: the first is a number of the campaign's own",
  );
  assert.equal(refused([], true), "400 list_id names nobody who can be contacted");
  assert.equal(refused([]), "400 from_campaign names nobody who can be contacted");
  refuseNobody(1, { field: "contacts", leftOut: [], listed: false });
});
