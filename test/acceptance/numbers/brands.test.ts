import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

const FIELDS =
  "brandId entityType companyName displayName ein vertical phone email street city state postalCode country website brandRelationship identityStatus status".split(
    " ",
  );
const acme = {
  entityType: "PRIVATE_PROFIT",
  displayName: "Acme",
  country: "US",
  email: "ops@acme.example",
  vertical: "FINANCE",
};

test("10DLC brands", async (t) => {
  const api = await startParley(t);
  const register = (more: object = {}) => api.post("/v1/10dlc/brand", { ...acme, ...more });
  const read = (id: string) => api.get(`/v1/10dlc/brand/${id}`);
  const wait = (ms: number) => api.post("/v1/simulator/clock", { advance_ms: ms });

  await t.test("a registered brand is PENDING, with all its fields at the top level", async () => {
    const { status, body } = await register({ ein: "12-3456789", status: "ACTIVE", brandId: "mine" });
    assert.equal(status, 201);
    assert.match(body.brandId, /^B[0-9A-Z]{6}$/);
    for (const name of FIELDS) assert.equal(typeof body[name], "string", name);
    assert.deepEqual([body.status, body.displayName, body.ein, body.street], ["PENDING", "Acme", "12-3456789", ""]);
    assert.equal(body.powered_by, "Parley");
    const { warnings, ...brand } = body;
    // What is the registry's to say is not taken from the caller.
    assert.deepEqual(warnings, [
      "status is not a known field: it was ignored",
      "brandId is not a known field: it was ignored",
    ]);
    assert.deepEqual((await read(body.brandId)).body, brand);
  });

  await t.test("the registry decides later, and gives the reason when it refuses", async () => {
    const good = (await register({ ein: "12-3456789" })).body;
    const bad = (await register({ ein: "12-3450000" })).body;
    // The tenant's time goes on by itself: how near to its end the wait may be asked for, the registry's own test says.
    assert.equal((await read(good.brandId)).body.status, "PENDING");
    await wait(5_000);
    const active = (await read(good.brandId)).body;
    assert.deepEqual([active.status, active.identityStatus, active.reasons], ["ACTIVE", "VERIFIED", []]);
    const rejected = (await read(bad.brandId)).body;
    assert.deepEqual(
      [rejected.status, rejected.identityStatus, rejected.reasons],
      ["REJECTED", "UNVERIFIED", ["TAX_ID"]],
    );
  });

  await t.test("a rejected brand can be resubmitted, with fields changed, and no other", async () => {
    const { brandId } = (await register({ ein: "98-7650000", city: "Reno" })).body;
    const resubmit = (body: object) => api.post(`/v1/10dlc/brand/${brandId}/resubmit`, body);
    assert.equal((await resubmit({})).status, 409);
    await wait(5_000);
    assert.deepEqual(wrongFields(await resubmit({ email: "nobody", country: "" })).sort(), ["country", "email"]);
    await read(brandId);
    const again = await resubmit({ ein: "98-7654321" });
    assert.equal(again.status, 200);
    assert.deepEqual([again.body.status, again.body.city, again.body.reasons], ["PENDING", "Reno", []]);
    await wait(5_000);
    assert.equal((await read(brandId)).body.status, "ACTIVE");
    assert.equal((await resubmit({})).status, 409);
  });

  await t.test("what a brand must have is named", async () => {
    const empty = await api.post("/v1/10dlc/brand", {});
    assert.equal(empty.status, 400);
    assert.deepEqual(wrongFields(empty).sort(), ["country", "displayName", "email", "entityType", "vertical"]);
  });

  await t.test("brands are listed newest first, in pages", async () => {
    const all = (await api.get("/v1/10dlc/brand")).body;
    assert.equal(all.brands.length, 4);
    const first = (await api.get("/v1/10dlc/brand?limit=3")).body;
    const rest = (await api.get(`/v1/10dlc/brand?limit=3&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual([...first.brands, ...rest.brands], all.brands);
    const times = all.brands.map((brand: { created_at: string }) => brand.created_at);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal((await api.get("/v1/10dlc/brand?pagination_key=x")).status, 400);
  });

  await t.test("a brand that is not there is a 404", async () => {
    const missing = await read("B000000");
    assert.equal(missing.status, 404);
    assert.equal(missing.body.error, "Brand not found");
    assert.equal((await api.post("/v1/10dlc/brand/B000000/resubmit", {})).status, 404);
  });
});
