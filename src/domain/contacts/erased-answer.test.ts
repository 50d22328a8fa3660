import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPerson } from "./erased-answer.ts";

const words = ["+12125550101", "lead_1"];
const rewrite = (value: unknown) => JSON.parse(withoutPerson(JSON.stringify(value), words));

test("items that name the person are left out of lists, at any depth", () => {
  const leads = [
    { unique_id: "lead_1", first_name: "Ann" },
    { unique_id: "lead_2", deep: [["x +12125550101"], ["y"]] },
  ];
  assert.deepEqual(rewrite({ success: true, leads, count: 2 }), {
    success: true,
    leads: [{ unique_id: "lead_2", deep: [[], ["y"]] }],
    count: 2,
  });
});

test("an answer that is about the person alone is replaced, and so is one too long to be read", () => {
  const answer = { success: true, lead: { phone_number: "+12125550101", first_name: "Ann" }, powered_by: "Parley" };
  assert.deepEqual(rewrite(answer), { success: true, erased: true, powered_by: "Parley" });
  assert.deepEqual(JSON.parse(withoutPerson(null, words)), { success: true, erased: true });
});
