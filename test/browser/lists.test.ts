import assert from "node:assert/strict";
import { test } from "node:test";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

/** As it comes from a CRM: messy numbers, a rounded one, one that is none, one that comes twice. */
const FILE = [
  "Mobile;First Name;Ort;Score",
  "(212) 555-0101;Ann;Reno;7",
  "212.555.0102;Zoë;Elko;8",
  "2.03E+09;Cy;Ely;9",
  "555-0103;Di;Reno;1",
  "+1 212 555 0101;Anna;Reno;7",
].join("\r\n");

test("contacts are imported from a file or pasted, and an import is undone", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);

  await t.test("an empty page leads to the import", async () => {
    await page.goto("/console/lists");
    await page.getByText("No lists yet").waitFor();
    await picture(page, "lists-empty");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Import contacts" }).first().click();
    await page.getByRole("heading", { name: "Import contacts" }).waitFor();
  });

  await t.test("a file is read: columns are guessed, bad rows are shown before the start", async () => {
    const buffer = Buffer.from(`\ufeff${FILE}`);
    await page.locator("input[type=file]").setInputFiles({ name: "Spring leads.csv", mimeType: "text/csv", buffer });
    await page.getByText("2 of them would not be taken").waitFor();
    await page.getByText("Excel has rounded phone numbers").waitFor();
    const becomes = (name: string) =>
      page
        .getByRole("combobox", { name: `${name} becomes` })
        .or(page.getByRole("textbox", { name: `${name} becomes` }))
        .inputValue();
    assert.equal(await becomes("Mobile"), "Phone number");
    assert.equal(await becomes("First Name"), "First name");
    assert.equal(
      await page
        .getByRole("combobox", { name: "Cells are divided by" })
        .or(page.getByRole("textbox", { name: "Cells are divided by" }))
        .inputValue(),
      "Semicolon",
    );
    await page.getByRole("grid", { name: "Preview" }).getByText("(212) 555-0102").waitFor();
    await page.getByRole("grid", { name: "Preview" }).getByText("Zoë").waitFor();
    await page
      .getByRole("combobox", { name: "Ort becomes" })
      .or(page.getByRole("textbox", { name: "Ort becomes" }))
      .click();
    await page.getByRole("option", { name: "City" }).click();
    await page
      .getByRole("combobox", { name: "Score becomes" })
      .or(page.getByRole("textbox", { name: "Score becomes" }))
      .click();
    await page.getByRole("option", { name: "Leave it out" }).click();
    assert.deepEqual(await wrongWith(page, "import-preview"), []);
  });

  await t.test("leaving asks first", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Contacts" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Name of the list").inputValue(), "Spring leads");
  });

  await t.test("it is started and followed to its end, with each row that was not taken", async () => {
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByRole("heading", { name: "Spring leads.csv", level: 1 }).waitFor();
    await page.getByText("Completed", { exact: true }).waitFor();
    const progress = page.getByRole("region", { name: "Progress" });
    for (const [label, count] of [
      ["New contacts", "2"],
      ["Skipped", "1"],
      ["Not taken", "2"],
    ] as const) {
      assert.equal(
        await progress.getByText(label, { exact: true }).locator("xpath=..").locator("p").nth(1).innerText(),
        count,
      );
    }
    const errors = page.getByRole("grid", { name: "Rows that were not taken" });
    await errors.getByText("Excel has rounded this phone number").waitFor();
    await errors.getByText("The phone number must have more digits, with its area code").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as CSV" }).click();
    assert.equal((await download).suggestedFilename(), "errors.csv");
    assert.deepEqual(await wrongWith(page, "import-done"), []);
  });

  await t.test("its list has the contacts", async () => {
    await page.getByRole("link", { name: "Open the list" }).click();
    await page.getByRole("heading", { name: "Spring leads", level: 1 }).waitFor();
    const grid = page.getByRole("grid", { name: "Contacts of the list" });
    await grid.getByText("Zoë").waitFor();
    await grid.getByText("Elko").waitFor();
    assert.deepEqual(wrong, []);
  });

  await t.test("what the service refuses is said at its place", async () => {
    await page.goto("/console/lists/import");
    await page.getByText("Paste", { exact: true }).click();
    await page.getByLabel("Contacts", { exact: true }).fill("phone,city,city\n2125550107,Reno,Ely\n");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByText('file has two columns called "city"').waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/contacts/imports"]);
  });

  await t.test("numbers that were pasted are imported, and the import is undone", async () => {
    await page.getByRole("button", { name: "Another file" }).click();
    await page.getByText("Paste", { exact: true }).click();
    await page.getByLabel("Contacts", { exact: true }).fill("212-555-0108\n(212) 555-0109\n");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("2 rows, and all look right.").waitFor();
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo the import" }).click();
    await page.getByText("2 contacts removed").waitFor();
    await page.getByText("This import was undone").waitFor();
    assert.deepEqual(wrong, []);
  });
});
