import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

test("the do-not-call list", async (t) => {
  const api = await startParley(t);
  const { organization_id } = await anOwner(api);
  const entriesOf = async (phone: string) =>
    (await api.get(`/v1/dnc?phone_number=${encodeURIComponent(phone)}`)).body.entries;

  await t.test("a number is listed, and listing it again changes nothing", async () => {
    const added = await api.post("/v1/dnc/add", { phone_number: "(212) 555-0101", reason: "asked" });
    assert.equal(added.status, 201);
    const { created_at, ...entry } = added.body.entry;
    assert.ok(created_at);
    const from = { source: "api", added_by: null };
    assert.deepEqual(entry, { phone_number: "+12125550101", organization_id: null, reason: "asked", ...from });
    const again = await api.post("/v1/dnc/add", { phone_number: "+12125550101", reason: "again" });
    assert.equal(again.status, 201);
    assert.deepEqual(again.body.entry, added.body.entry);
    assert.deepEqual(await entriesOf("+12125550101"), [added.body.entry]);
  });

  await t.test("a number is needed, and has to be one", async () => {
    for (const path of ["/v1/dnc/add", "/v1/dnc/remove"]) {
      const missing = await api.post(path, {});
      assert.equal(missing.status, 400);
      assert.deepEqual(wrongFields(missing), ["phone_number"]);
      assert.deepEqual(wrongFields(await api.post(path, { phone_number: "911" })), ["phone_number"]);
      assert.deepEqual(wrongFields(await api.post(path, { phone_number: 2125550101 })), ["phone_number"]);
    }
  });

  await t.test("an entry may hold for one organization, which has to exist", async () => {
    const added = await api.post("/v1/dnc/add", { phone_number: "+12125550102", organization_id });
    assert.equal(added.body.entry.organization_id, organization_id);
    const foreign = { phone_number: "+12125550102", organization_id: "org_00000000000000000000000000" };
    assert.equal((await api.post("/v1/dnc/add", foreign)).status, 404);
  });

  await t.test("removing takes a number off: of one organization, or altogether", async () => {
    const phone_number = "+12125550103";
    await api.post("/v1/dnc/add", { phone_number });
    await api.post("/v1/dnc/add", { phone_number, organization_id });
    const one = await api.post("/v1/dnc/remove", { phone_number, organization_id });
    assert.equal(one.status, 200);
    assert.deepEqual([one.body.phone_number, one.body.removed], [phone_number, 1]);
    assert.equal((await entriesOf(phone_number)).length, 1);
    await api.post("/v1/dnc/add", { phone_number, organization_id });
    assert.equal((await api.post("/v1/dnc/remove", { phone_number: "212-555-0103" })).body.removed, 2);
    assert.equal((await api.post("/v1/dnc/remove", { phone_number })).body.removed, 0);
    assert.deepEqual(await entriesOf(phone_number), []);
  });

  await t.test("a list of numbers is imported, and what cannot be read is reported by its position", async () => {
    const phone_numbers = ["+13035550101", "303-555-0102", "", "911", "+13035550101"];
    const { status, body } = await api.post("/v1/dnc/import", { phone_numbers, reason: "bought" });
    assert.equal(status, 201);
    assert.deepEqual([body.count, body.added], [2, 2]);
    assert.deepEqual(
      body.invalid.map((row: { index: number }) => row.index),
      [3],
    );
    const again = await api.post("/v1/dnc/import", { phone_numbers, reason: "again" });
    assert.deepEqual([again.body.count, again.body.added], [2, 0]);
    const [bought] = await entriesOf("+13035550102");
    assert.deepEqual([bought.reason, bought.source], ["bought", "import"]);
  });

  await t.test("a national-registry file is imported", async () => {
    const file = "303,5550111\r\n303,5550112\r\n\r\n3035550113\r\n+13035550114\r\n";
    const { body } = await api.post("/v1/dnc/import", { file });
    assert.deepEqual([body.count, body.added, body.invalid], [4, 4, []]);
    assert.equal((await entriesOf("+13035550111")).length, 1);
    assert.equal((await api.post("/v1/dnc/import", {})).status, 400);
  });

  await t.test("entries come as a file, of all or of one organization, and are taken again", async () => {
    const phone_number = "+13035550121";
    await api.post("/v1/dnc/add", { phone_number, organization_id, reason: "=1+1" });
    const rowsOf = async (query: string): Promise<Record<string, string>[]> => {
      const { status, body } = await api.get(`/v1/dnc/export.csv${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return parse(body, { columns: true });
    };
    const all = await rowsOf("");
    assert.ok(all.length > 3);
    const mine = await rowsOf(`?organization_id=${organization_id}`);
    const [row] = mine.filter((row) => row.phone_number === phone_number);
    assert.deepEqual([row?.reason, row?.source, row?.organization_id], ["'=1+1", "api", organization_id]);
    assert.ok(mine.every((row) => row.organization_id === organization_id));
    const phone_numbers = all.filter((row) => row.organization_id === "").map((row) => row.phone_number);
    const again = await api.post("/v1/dnc/import", { phone_numbers });
    assert.deepEqual([again.status, again.body.invalid, again.body.added], [201, [], 0]);
    assert.equal((await api.get("/v1/dnc/export.csv?organization_id=org_00000000000000000000000000")).status, 404);
  });

  await t.test("100,000 numbers are imported at once, and one more is a 413", async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `702,${2_000_000 + i}`);
    const { status, body } = await api.post("/v1/dnc/import", { file: lines.join("\n"), organization_id });
    assert.equal(status, 201);
    assert.deepEqual([body.count, body.added], [100_000, 100_000]);
    const more = await api.post("/v1/dnc/import", { phone_numbers: [...lines, "+13035550101"] });
    assert.equal(more.status, 413);
    assert.match(more.body.error, /100000/);
  });

  await t.test("entries are paged in the order of their phones", async () => {
    const phones: string[] = [];
    let key = "";
    for (let page = 0; page < 4; page++) {
      const { body } = await api.get(`/v1/dnc?limit=3${key}`);
      phones.push(...body.entries.map((entry: { phone_number: string }) => entry.phone_number));
      assert.equal(body.has_more, true);
      key = `&pagination_key=${body.next_pagination_key}`;
    }
    assert.equal(new Set(phones).size, 12);
    assert.deepEqual(phones, phones.toSorted());
    assert.deepEqual(wrongFields(await api.get("/v1/dnc?pagination_key=nonsense")), ["pagination_key"]);
    assert.deepEqual(wrongFields(await api.get("/v1/dnc?phone_number=5")), ["phone_number"]);
  });
});
