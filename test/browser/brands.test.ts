import assert from "node:assert/strict";
import { test } from "node:test";
import {
  openBrowser,
  openPage,
  setUpThere,
  violations,
  withoutBrowser,
  wrongInBothSchemes,
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

  const choose = async (name: string, option: string) => {
    await page.getByRole("combobox", { name, exact: true }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  /** At the field, by the name that it is called by. */
  const said = (name: string, what: RegExp) =>
    page.locator(".mantine-InputWrapper-root", { hasText: name, has: page.getByText(what) }).waitFor();

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

  await t.test("a toll-free number's verification is requested, and what is wrong is said at its field", async () => {
    await page.goto("/console/numbers/brands");
    await page.getByRole("tab", { name: "Toll-free" }).click();
    await page.getByText("No verification yet").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Request a verification" }).first().click();
    const send = page.getByRole("button", { name: "Request the verification" });
    const field = (name: string) => page.getByRole("textbox", { name, exact: true });
    await send.click();
    await page.getByText("Say how recipients agree").waitFor();
    await page.locator("[data-path=phone_number]:focus").waitFor();
    for (const [name, value] of Object.entries({
      ...{ "Toll-free number": "212 555 0144", "Legal name": "Acme Inc.", Website: "acme.example" },
      ...{ Street: "1 Main St", City: "New York", State: "NY", "Postal code": "10001" },
      ...{ "First name": "Ann", "Last name": "Lee", "E-mail": "ops@acme.example", Phone: "212 555 0123" },
      ...{ "Texts a month": "20000", "What, to whom and when": "Offers to customers who asked for them." },
      ...{ Sample: "Hi Ann!", "How they agree": "none" },
    }))
      await field(name).fill(value);
    await choose("Use", "Marketing");
    await choose("Where they agree", "Web form");
    const pages = page.getByRole("combobox", { name: "Pages that show it", exact: true });
    await pages.fill("https://acme.example/form");
    await pages.press("Enter");
    const refusals = ["400: POST /v1/toll-free/verifications"];
    await send.click();
    await said("Toll-free number", /is not toll-free/);
    assert.deepEqual(wrong.splice(0), refusals);
    await field("Toll-free number").fill(TOLL_FREE_NUMBER);
    await send.click();
    await said("Website", /must be the address of a page/);
    assert.deepEqual(await wrongWith(page, "toll-free-form"), []);
    assert.deepEqual(await wrongInBothSchemes(page, "toll-free-form-schemes"), []);
    await page.emulateMedia({ colorScheme: "light" });
    assert.deepEqual(wrong.splice(0), refusals);
    await field("Website").fill("https://acme.example");
    await send.click();
    await page.getByRole("dialog").getByText("In review").waitFor();
    const { verifications } = (await service.get("/v1/toll-free/verifications")).body;
    const sent = { ...TOLL_FREE_FIELDS, phone_number: TOLL_FREE_NUMBER, opt_in_description: "none" };
    assert.deepEqual({ ...verifications[0], ...sent }, verifications[0]);
    assert.deepEqual(wrong, []);
  });

  await t.test("a refused one says why, is corrected and sent again", async () => {
    await service.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });
    await page.goto("/console/numbers/toll-free");
    const grid = page.getByRole("grid", { name: "Toll-free verifications" });
    await grid.getByText("Refused").waitFor();
    assert.deepEqual(await wrongWith(page, "toll-free"), []);
    await grid.getByText("Acme Inc.").click();
    await page.getByRole("dialog").getByText("The opt-in cannot be verified.").waitFor();
    assert.deepEqual(await wrongWith(page, "toll-free-refused"), []);
    await page.getByRole("link", { name: "Correct it" }).click();
    await page.getByText("The opt-in cannot be verified.").waitFor();
    const how = page.getByRole("textbox", { name: "How they agree", exact: true });
    assert.equal(await how.inputValue(), "none");
    await how.fill("");
    await page.getByRole("button", { name: "Send it again" }).click();
    await said("How they agree", /Say how recipients agree/);
    await how.fill("Customers tick a box on our form.");
    assert.deepEqual(await wrongWith(page, "toll-free-correction"), []);
    await page.getByRole("button", { name: "Send it again" }).click();
    await page.getByRole("dialog").getByText("In review").waitFor();
    await service.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });
    await page.goto("/console/numbers/toll-free");
    await grid.getByText("Verified").waitFor();
    const [one] = (await service.get("/v1/toll-free/verifications")).body.verifications;
    assert.equal(one.opt_in_description, "Customers tick a box on our form.");
    assert.deepEqual(wrong, []);
  });
});
