import assert from "node:assert/strict";
import { test } from "node:test";
import {
  openBrowser,
  openPage,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { aBrand, aTenDlcCampaign, REVIEW_MS } from "#test/support/campaigns/ten-dlc.ts";
import { TOLL_FREE_FIELDS, TOLL_FREE_NUMBER } from "#test/support/campaigns/toll-free.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("brands show how far they are, why they were refused, and today's use", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);

  await t.test("without any the page leads to the reference", async () => {
    await page.goto("/console/numbers");
    await page.getByRole("tab", { name: "Brands and 10DLC" }).click();
    await page.getByText("No brand yet").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  const brandId = await aBrand(service, "12-3456775");
  await aTenDlcCampaign(service, { brandId, useCase: "LOW_VOLUME", numbers: [SENDER] });
  const unknown = {
    entityType: "PRIVATE_PROFIT",
    displayName: "Unknown Homes",
    country: "US",
    email: "a@acme.example",
    vertical: "REAL_ESTATE",
    ein: "12-0000000",
  };
  assert.equal((await service.post("/v1/10dlc/brand", unknown)).status, 201);
  await service.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });

  await t.test("a refusal is said in words, with what helps", async () => {
    await page.goto("/console/numbers/brands");
    const grid = page.getByRole("grid", { name: "Brands" });
    await grid.getByText("Approved").waitFor();
    assert.deepEqual(await wrongWith(page, "brands"), []);
    await grid.getByText("Unknown Homes").click();
    const drawer = page.getByRole("dialog", { name: "Unknown Homes" });
    await drawer.getByText(/The tax number \(EIN\) is not that of this company/).waitFor();
    assert.deepEqual(await wrongWith(page, "brand-refused"), []);
  });

  await t.test("an approved one has its budget, today's use and its 10DLC campaigns", async () => {
    await page.goto(`/console/numbers/brands?brand=${brandId}`);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("0 of 200,000 segments").waitFor();
    await drawer.getByText("Low volume").waitFor();
    await drawer.getByText(/75 segments a minute/).waitFor();
    assert.deepEqual(await wrongWith(page, "brand"), []);
    assert.deepEqual(wrong, []);
  });

  await t.test("a toll-free number's verification shows how far it is, and why it was refused", async () => {
    await page.goto("/console/numbers/brands");
    await page.getByRole("tab", { name: "Toll-free" }).click();
    await page.getByText("No verification yet").waitFor();
    const refused = { ...TOLL_FREE_FIELDS, phone_number: TOLL_FREE_NUMBER, opt_in_description: "none" };
    assert.equal((await service.post("/v1/toll-free/verifications", refused)).status, 201);
    await service.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });
    await page.goto("/console/numbers/toll-free");
    const grid = page.getByRole("grid", { name: "Toll-free verifications" });
    await grid.getByText("Refused").waitFor();
    assert.deepEqual(await wrongWith(page, "toll-free"), []);
    await grid.getByText("Acme Inc.").click();
    await page.getByRole("dialog").getByText("The opt-in cannot be verified.").waitFor();
    assert.deepEqual(await wrongWith(page, "toll-free-refused"), []);
    assert.deepEqual(wrong, []);
  });
});
