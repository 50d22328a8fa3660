import assert from "node:assert/strict";
import { test } from "node:test";
import { BRAND_ID, brandFields, brandId, brandRecord } from "./brand.ts";

test("a brand is returned with all 17 fields of the interface, the unknown ones empty", () => {
  const at = new Date("2026-03-01T09:30:00Z");
  const fields = brandFields({
    entityType: "PRIVATE_PROFIT",
    displayName: "Acme",
    status: "ACTIVE",
    brandId: "x",
    ein: 5,
  });
  assert.deepEqual(fields, { entityType: "PRIVATE_PROFIT", displayName: "Acme" });
  const record = brandRecord({
    id: "B000001",
    fields,
    status: "PENDING",
    reasons: [],
    score: null,
    carrier: null,
    created_at: at,
    updated_at: at,
  });
  const names =
    "brandId entityType companyName displayName ein vertical phone email street city state postalCode country website brandRelationship identityStatus status";
  assert.deepEqual(Object.keys(record).slice(0, 17), names.split(" "));
  assert.equal(record.displayName, "Acme");
  assert.equal(record.ein, "");
  assert.equal(record.status, "PENDING");
});

test("brand ids have the registry's form and differ", () => {
  const ids = ["000000000000", "ffffffffffff", "3f2a9c1b77d0", "3f2a9c1b77d1"].map((end) =>
    brandId(`01930000-0000-7000-8000-${end}`),
  );
  for (const id of ids) assert.match(id, BRAND_ID);
  assert.equal(new Set(ids).size, ids.length);
});
