import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser, openPage, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("carriers are for live mode, and each kind asks for its own values", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);

  await step("in the simulator there are none, and one action leads to live mode", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Carriers" }).click();
    await page.getByText("Carriers are for live mode").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-simulator"), []);
    await page.getByRole("button", { name: "Go live", exact: true }).click();
    await page.getByText("No carrier yet").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-none"), []);
  });

  await step("by keyboard a kind is chosen, and its form says what is missing at its field", async () => {
    await page.getByRole("link", { name: "Connect a carrier" }).first().click();
    await page.getByRole("radio", { name: "Twilio" }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Auth token").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-twilio"), []);
    for (const [kind, field] of [
      ["Telnyx", "Public key"],
      ["SMPP", "System ID"],
      ["SIP trunk", "Host"],
    ] as const) {
      await page.keyboard.press("ArrowDown");
      await page.getByRole("radio", { name: kind, checked: true }).waitFor();
      await page.getByLabel(field).waitFor();
      await page.getByRole("button", { name: "Advanced settings" }).click();
      assert.deepEqual(await wrongWith(page, `carriers-${kind}`), []);
      await page.getByRole("radio", { name: kind }).focus();
    }
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("");
    await page.getByRole("button", { name: "See what will change" }).click();
    await page.getByText("Enter a name").waitFor();
    assert.deepEqual(wrong, []);
  });
});
