import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

type Entry = { areaCode: string; city: string; state: string; country: string };

/** Rows of data/area-codes.csv. */
const ALL = 16_525;

test("area-code search", async (t) => {
  const api = await startParley(t);
  const search = (query: string) => api.get(`/v1/10dlc/phone-numbers/area-codes${query}`);

  await t.test("without a filter it gives the first fifty of all", async () => {
    const { status, body } = await search("");
    assert.equal(status, 200);
    assert.equal(body.area_codes.length, 50);
    assert.deepEqual([body.count, body.total, body.success, body.powered_by], [50, ALL, true, "Parley"]);
    assert.deepEqual(body.area_codes[0], { areaCode: "201", city: "Bayonne", state: "NJ", country: "US" });
  });

  await t.test("filters narrow it, together", async () => {
    const nevada = (await search("?state=nv&limit=500")).body.area_codes as Entry[];
    assert.ok(nevada.length > 0 && nevada.every((entry) => entry.state === "NV"));
    const reno = (await search("?state=NV&city=reno&areaCode=775")).body;
    assert.deepEqual(reno.area_codes, [{ areaCode: "775", city: "Reno", state: "NV", country: "US" }]);
    assert.deepEqual((await search("?state=NV&areaCode=212")).body.area_codes, []);
    const montreal = (await search("?city=montreal")).body.area_codes as Entry[];
    assert.ok(montreal.some((entry) => entry.country === "CA"));
  });

  await t.test("every state and province has its area codes, each in order", async () => {
    const { status, body } = await api.get("/v1/10dlc/phone-numbers/area-codes/states");
    const states = body.states as { state: string; name: string; country: string; area_codes: string[] }[];
    assert.deepEqual([status, body.count, states.length > 60], [200, states.length, true]);
    const nevada = states.find(({ state }) => state === "NV");
    assert.deepEqual(nevada, { state: "NV", name: "Nevada", country: "US", area_codes: ["702", "725", "775"] });
    assert.ok(states.some(({ name, country }) => name === "Ontario" && country === "CA"));
    const all = new Set(states.flatMap(({ area_codes }) => area_codes));
    assert.ok(all.size > 350 && !all.has("555"), `${all.size}`);
  });

  await t.test("pages hold every row once, and end", async () => {
    const seen: Entry[] = [];
    for (let page = 1; ; page++) {
      const { body } = await search(`?page=${page}&limit=500`);
      assert.equal(body.count, body.area_codes.length);
      if (body.count === 0) break;
      seen.push(...body.area_codes);
    }
    assert.equal(seen.length, ALL);
    assert.equal(new Set(seen.map((entry) => JSON.stringify(entry))).size, ALL);
  });

  await t.test("page and limit are numbers in range, and a wrong one is named", async () => {
    assert.deepEqual(wrongFields(await search("?page=0&limit=501")), ["page", "limit"]);
    for (const wrong of ["-1", "1.5", "two", "", "1e1"]) {
      assert.deepEqual(wrongFields(await search(`?page=${wrong}`)), ["page"], wrong);
    }
    assert.equal((await search("?page=999999999&limit=1")).body.count, 0);
    assert.deepEqual(wrongFields(await search("?state=Nevada")), ["state"]);
  });
});
