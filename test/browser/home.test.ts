import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, openBrowser, openPage, settle, withoutBrowser, wrongWith } from "#test/support/browser.ts";
import { aCampaign, aNoon } from "#test/support/campaign.ts";
import { startConsole } from "#test/support/console-process.ts";
import { gets, says } from "#test/support/handset.ts";

/** By their last two digits: one that takes texts, and one that is unreachable. */
const [ANN, DEE] = ["+12125550101", "+12125550120"] as const;

test("setting up, and the home page", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);

  await t.test(
    "after the first user is made, model and carrier are tried, and the console is one click away",
    async () => {
      await page.goto(service.setupLink);
      await page.getByLabel("Organization").fill(ADMIN.organization);
      await page.getByLabel("E-mail").fill(ADMIN.email);
      await page.locator("input[type=password]").fill("short");
      // The hint below the field says the same before anybody is refused.
      const refused = page.waitForResponse((it) => it.url().endsWith("/v1/setup"));
      await page.getByRole("button", { name: "Set up" }).click();
      await refused;
      await page.locator(".mantine-PasswordInput-error").waitFor();
      assert.deepEqual(wrong.splice(0), ["400: POST /v1/setup"]);
      await page.locator("input[type=password]").fill(ADMIN.password);
      await page.getByRole("button", { name: "Set up" }).click();
      await page.getByRole("heading", { name: "You are in" }).waitFor();
      await page.getByRole("button", { name: "Test the model" }).click();
      await page.getByText("It answered").waitFor();
      await page.getByRole("button", { name: "Test the carrier" }).click();
      await page.getByText("It took a text to the simulated phone").waitFor();
      await page.getByRole("button", { name: "Load demo data" }).waitFor();
      assert.deepEqual(await wrongWith(page, "setup-try"), []);
      await page.getByRole("link", { name: "Go to the console" }).click();
      await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    },
  );

  await t.test("whoever begins is led by first steps, and told that nothing can place calls", async () => {
    await page.getByRole("region", { name: "First steps" }).getByRole("link", { name: "Make an agent" }).waitFor();
    await page.getByText("No media node runs: no call is placed or taken.").waitFor();
    await page.getByText("Nothing has failed today.").waitFor();
    await settle(page);
    assert.deepEqual(await wrongWith(page, "home-empty"), []);
  });

  await aNoon(service);
  const { organizationId } = await aCampaign(service, {
    contacts: [ANN, DEE].map((phone_number) => ({ phone_number })),
  });
  await gets(service, ANN, 1);

  await t.test("the day's figures follow without a reload, and what failed leads to whom it hit", async () => {
    await page.evaluate(`localStorage.setItem("parley-organization", "${organizationId}")`);
    await page.reload();
    const today = page.getByRole("region", { name: "Today", exact: true });
    await today.getByText("1 failed").waitFor();
    await says(service, ANN, "Yes, I do.");
    await today
      .getByText("Replies")
      .locator("..")
      .getByText(/^[1-9]\d*$/)
      .waitFor();
    await page.getByRole("region", { name: "First steps" }).waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Problems today" }).getByRole("link").click();
    await page.waitForURL(/sms-campaigns\/.+state=failed&reason=30003/);
    assert.deepEqual(wrong, []);
  });
});
