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
import { startConsole } from "#test/support/processes/console-process.ts";

test("analytics are shown as charts, as tables and as files", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);

  await t.test("each chart has its values beside it, and follows the arrow keys", async () => {
    await page.goto("/console/analytics");
    const plot = page.getByRole("slider", { name: "Texts" });
    await plot.waitFor();
    const texts = page.getByRole("region", { name: "Texts", exact: true });
    await texts.getByText("In all", { exact: true }).waitFor();
    await plot.focus();
    const last = await plot.getAttribute("aria-valuetext");
    assert.match(last!, /Texts sent 0, Texts delivered 0, Texts received 0, Texts failed 0$/);
    await page.keyboard.press("ArrowLeft");
    await page.locator('[role=slider][aria-label="Texts"][aria-valuenow="19"]').waitFor();
    assert.notEqual(await plot.getAttribute("aria-valuetext"), last, "of 21 days, the last but one");
    assert.deepEqual(await violations(page), []);
  });

  await t.test("a chart turns into a table of the same size, and into a file", async () => {
    const card = page.getByRole("region", { name: "Opt-out rate", exact: true });
    const before = (await card.boundingBox())!.height;
    await card.getByRole("button", { name: "Opt-out rate: table" }).click();
    await card.getByRole("columnheader", { name: "Day" }).waitFor();
    assert.equal(await card.getByRole("row").count(), 22, "a head and 21 days");
    assert.equal((await card.boundingBox())!.height, before, "nothing moves");
    const download = page.waitForEvent("download");
    await card.getByRole("button", { name: "Opt-out rate: CSV" }).click();
    assert.equal((await download).suggestedFilename(), "opt-out-rate.csv");
  });

  await t.test("filters are in the address, and fit a telephone", async () => {
    await page.goto("/console/analytics?days=7&area_code=212&by=agent");
    await page.getByRole("grid", { name: "By agent" }).or(page.getByText("Nothing in this time").first()).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Area code of the contacts" }).inputValue(), "212");
    await page.getByRole("slider", { name: "Texts" }).waitFor();
    assert.equal(await page.getByRole("slider", { name: "Texts" }).getAttribute("aria-valuemax"), "6");
    assert.deepEqual(await wrongWith(page, "analytics"), []);
    assert.deepEqual(wrong, []);
  });
});
