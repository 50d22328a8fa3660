import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  SIZES,
  setUpThere,
  violations,
  withoutBrowser,
  wrongInBothSchemes,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("the audit log shows who changed what, and is verified", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker" });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const made = await service.post("/v1/agents", {
    ...(await ownerOf(page)),
    ...{ agent_type: "sms", agent_name: "Ann", prompt: "You are Ann.", starting_message: "Hi" },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const changed = await service.patch(`/v1/agents/${made.body.agent_id}`, { prompt: "You are Ann, of Acme." });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const log = page.getByRole("grid", { name: "Audit log" });

  await t.test("an entry opens by the keyboard, with before and after", async () => {
    await page.goto("/console/system/activity?what=updateAgent");
    await log.getByText("Update agent").waitFor();
    await log.getByRole("row").last().focus();
    await page.keyboard.press("Enter");
    const changes = page.getByRole("dialog").getByRole("region", { name: "Before and after" });
    await changes.getByText("You are Ann.", { exact: true }).waitFor();
    await changes.getByText("You are Ann, of Acme.").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await t.test("the whole log is verified, and a filter that finds nothing is taken back", async () => {
    await page.goto("/console/system/activity?result=refused");
    await page.getByRole("button", { name: "Show all" }).click();
    await log.getByText("Create agent").first().waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("status").getByText("The log is whole").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export as CSV" }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^audit.*\.csv$/);
  });

  for (const size of SIZES)
    await t.test(`it holds at ${size.width} pixels, light and dark`, async () => {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto("/console/system/activity");
      await page.getByRole("button", { name: "Verify" }).click();
      await page.getByText("The log is whole").waitFor();
      assert.deepEqual(await wrongInBothSchemes(page, `audit-log-${size.width}`), []);
      await page.emulateMedia({ colorScheme: "light" });
      await log.getByText("Update agent").first().click();
      await page.getByRole("dialog").getByText("You are Ann, of Acme.").waitFor();
      assert.deepEqual(await wrongInBothSchemes(page, `audit-entry-${size.width}`), []);
    });
  assert.deepEqual(wrong, []);
});
