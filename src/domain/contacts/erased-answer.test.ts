import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPerson } from "./erased-answer.ts";

const id = (n: number): string => `lead_${String(n).padStart(26, "0")}`;
const words = new Set(["+12125550101", id(1)]);
const rewrite = (value: unknown) => JSON.parse(withoutPerson(JSON.stringify(value), words));

test("items that name the person are left out of lists, at any depth", () => {
  const leads = [
    { unique_id: id(1), first_name: "Ann" },
    { unique_id: id(2), deep: [["x +12125550101"], ["y"]] },
  ];
  assert.deepEqual(rewrite({ success: true, leads, count: 2 }), {
    success: true,
    leads: [{ unique_id: id(2), deep: [[], ["y"]] }],
    count: 2,
  });
});

test("an answer that is about the person alone is replaced, and so is one too long to be read", () => {
  const answer = { success: true, lead: { phone_number: "+12125550101", first_name: "Ann" }, powered_by: "Parley" };
  assert.deepEqual(rewrite(answer), { success: true, erased: true, powered_by: "Parley" });
  assert.deepEqual(JSON.parse(withoutPerson(null, words)), { success: true, erased: true });
});

test("each of thousands of words is found, in other text and with other digits behind it", () => {
  const many = Array.from({ length: 2_000 }, (_, n) => (n % 2 ? id(n) : `+1212555${String(n).padStart(4, "0")}`));
  const left = ["+12125550001", "+121255500", id(2), "lead_1", "+"];
  const items = [...many, ...many.map((word) => `x${word}99 y`), "+1999+12125550002", ...left];
  assert.deepEqual(JSON.parse(withoutPerson(JSON.stringify(items), new Set(many))), left);
});
