import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ADMIN,
  LOOKS,
  openBrowser,
  openPage,
  picture,
  settle,
  setUpThere,
  violations,
  withoutBrowser,
} from "#test/support/browser.ts";
import { startConsole } from "#test/support/console-process.ts";

test("the console opens by its printed link, and looks and works at every size and in both schemes", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const first = await openPage(browser, service.url);
  await first.page.goto(service.setupLink);
  await first.page.getByRole("heading", { level: 1 }).waitFor();
  await picture(first.page, "setup");
  assert.deepEqual(await violations(first.page), []);
  await setUpThere(first.page, service.setupLink);
  const state = await first.page.context().storageState();

  for (const look of LOOKS) {
    const name = `${look.width}-${look.scheme}`;
    await t.test(`at ${look.width} px, ${look.scheme}`, async () => {
      const { page, wrong } = await openPage(browser, service.url, look, state);
      await page.goto("/");
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await settle(page);
      await picture(page, `home-${name}`);
      assert.deepEqual(await violations(page), []);

      if (look.width < 768) await page.getByRole("button", { name: "Navigation", exact: true }).click();
      await picture(page, `navigation-${name}`);
      await page.getByRole("navigation").getByRole("link", { name: "Contacts" }).click();
      await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
      assert.match(page.url(), /\/console\/contacts$/);

      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Search pages").fill("voice");
      await page.getByText("Voice campaigns").last().waitFor();
      await picture(page, `palette-${name}`);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(wrong, []);
      await page.context().close();
    });
  }

  await t.test("who is not signed in is led to the sign-in page, and back to what was asked for", async () => {
    const { page, wrong } = await openPage(browser, service.url);
    await page.goto("/console/agents?type=sms");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await picture(page, "sign-in");
    assert.deepEqual(await violations(page), []);
    await page.getByLabel("E-mail").fill(ADMIN.email);
    await page.locator("input[type=password]").fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    assert.match(page.url(), /\/console\/agents\?type=sms$/);
    assert.deepEqual(wrong, []);

    await page.getByRole("button", { name: /account and appearance/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/console/agents");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.context().close();
  });
});
