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

test("numbers are listed, imported, exported and taken off", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const grid = page.getByRole("grid", { name: "Do-not-call entries" });

  await t.test("an empty list leads to the first number, and a wrong one is said at its field", async () => {
    await page.goto("/console/do-not-call");
    await page.getByText("No number is listed").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Add a number" }).first().click();
    await page.getByRole("dialog").getByLabel("Phone number").fill("911");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByText("must not be an emergency or service number", { exact: true }).waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/dnc/add"]);
    assert.deepEqual(await wrongWith(page, "dnc-add"), []);
    await page.getByRole("dialog").getByLabel("Phone number").fill("(212) 555-0101");
    await page.getByRole("dialog").getByLabel("Reason").fill("Asked on the phone");
    await page.getByRole("button", { name: "Add it" }).click();
    await grid.getByText("(212) 555-0101").waitFor();
    await grid.getByText("Added in the console").waitFor();
    await grid.getByText("Ada").waitFor();
  });

  await t.test("many are imported, and the lines that are no numbers are listed", async () => {
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("textbox", { name: "Numbers" }).fill("212,5550102\n911\n+12125550103\n");
    await page.getByRole("button", { name: "Import", exact: true }).last().click();
    await page.getByText("2 numbers are listed, 2 of them new.").waitFor();
    await page.getByText("Line 2: must not be an emergency or service number").waitFor();
    assert.deepEqual(await wrongWith(page, "dnc-import"), []);
    await page.getByRole("button", { name: "Done" }).click();
    await grid.getByText("(212) 555-0103").waitFor();
  });

  await t.test("one is found, and taken off after a warning of what that does", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("212 555 0102");
    await page.waitForURL(/phone_number=/);
    await grid.getByText("(212) 555-0101").waitFor({ state: "detached" });
    await grid.getByText("(212) 555-0102").click();
    await page.getByText("Came with an import").last().waitFor();
    assert.deepEqual(await wrongWith(page, "dnc-entry"), []);
    await page.getByRole("button", { name: "Take it off the list" }).click();
    await page.getByText("If the contact has opted out, that stays.").waitFor();
    await page.getByRole("button", { name: "Take it off", exact: true }).click();
    await page.getByText("No matching numbers").waitFor();
  });

  await t.test("both lists come as files", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as CSV" }).click();
    assert.equal((await download).suggestedFilename(), "dnc.csv");
    await page.getByText("Opted out", { exact: true }).click();
    await page.getByText("Nobody has opted out").or(page.getByText("No matching opt-outs")).waitFor();
    assert.match(page.url(), /view=opt-outs/);
    assert.deepEqual(wrong, []);
  });
});
