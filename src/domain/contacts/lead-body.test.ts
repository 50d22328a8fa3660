import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#domain/values/errors.ts";
import { NO_ID, publicId } from "#domain/values/id.ts";
import { missingLeads, readLeadBody } from "./lead-body.ts";

const TENANT = "018f0000-0000-7000-8000-000000000001";

const read = (value: unknown, problems: { field: string; message: string }[] = []) =>
  readLeadBody<{ leads: unknown[] }>(Buffer.from(JSON.stringify(value) ?? ""), {
    renamed: (body) => ({ value: body, problems: [] }),
    field: "leads",
    most: 2,
    tenantId: TENANT,
    problemsOf: () => problems,
  });

const refused = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it was taken");
};

test("leads are read with their fields, and those without a usable phone are reported by their places", () => {
  const { body, leads, unusable } = read({
    leads: [{ phone_number: "+12125550123", first_name: "Ann" }, { phone_number: "1" }],
  });
  assert.equal(body.leads.length, 2);
  assert.deepEqual(
    leads.map(({ index, phone, fields }) => ({ index, phone, fields })),
    [{ index: 0, phone: "+12125550123", fields: { first_name: "Ann" } }],
  );
  assert.deepEqual(
    unusable.map(({ index }) => index),
    [1],
  );
});

test("what is wrong with the body and with its leads is reported at once", () => {
  const error = refused(() => read({ leads: [7] }, [{ field: "name", message: "is required" }]));
  assert.equal(error.code, "invalid_request");
  assert.deepEqual(error.details, [
    { field: "name", message: "is required" },
    { field: "leads[0]", message: "must be an object" },
  ]);
});

test("more leads than a call may bring, another tenant's name and what is no JSON are refused", () => {
  const tooMany = refused(() => read({ leads: [{}, {}, {}] }));
  assert.deepEqual(
    [tooMany.code, tooMany.message],
    ["payload_too_large", "leads has 3 leads; 2 is the most for one call"],
  );
  assert.equal(refused(() => read({ leads: [], tenant_id: publicId("tenant", NO_ID) })).code, "wrong_tenant");
  assert.equal(read({ leads: [], tenant_id: publicId("tenant", TENANT) }).leads.length, 0);
  assert.equal(refused(() => read(undefined)).code, "invalid_request");
});

test("a body without leads has to name a list or a campaign", () => {
  const isRequired = [{ field: "leads", message: "is required, unless list_id or from_campaign is given" }];
  assert.deepEqual(missingLeads({}, "leads"), isRequired);
  assert.deepEqual(missingLeads([], "leads"), isRequired);
  for (const named of [{ leads: [] }, { list_id: "list_1" }, { from_campaign: {} }]) {
    assert.deepEqual(missingLeads(named, "leads"), []);
  }
});
