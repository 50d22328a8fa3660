import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  ADMIN,
  openBrowser,
  openPage,
  picture,
  SIZES,
  settle,
  setUpThere,
  TELEPHONE,
  violations,
  withoutBrowser,
  wrongInBothSchemes,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";
import { root } from "#test/support/source/source.ts";

const BUILT = join(root, "console/dist");

/** All of the console, as gzip sends it: less than a photograph. */
const ALL_BYTES = 1_000_000;

/** Until the home page is there. */
const FIRST_BYTES = 300_000;

test("all of the console is less than a megabyte, compressed", () => {
  const files = readdirSync(BUILT, { recursive: true, encoding: "utf8" })
    .filter((name) => !/\.(br|gz)$/.test(name) && statSync(join(BUILT, name)).isFile())
    .map((name) => gzipSync(readFileSync(join(BUILT, name))).length);
  const bytes = files.reduce((sum, size) => sum + size, 0);

  assert.ok(files.length > 10, "the console is built");
  assert.ok(bytes < ALL_BYTES, `${bytes} bytes`);
});

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

  for (const size of SIZES) {
    await t.test(`at ${size.width} px, light and dark`, async () => {
      const { page, wrong } = await openPage(browser, service.url, size, state);
      await page.goto("/");
      await page.getByRole("heading", { name: "Home" }).waitFor();
      if (size === TELEPHONE) await page.getByRole("button", { name: "Navigation", exact: true }).click();
      await picture(page, `navigation-${size.width}`);
      await page.getByRole("navigation").getByRole("link", { name: "Contacts" }).click();
      await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
      assert.match(page.url(), /\/console\/contacts$/);

      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Search pages").fill("voice");
      await page.getByText("Voice campaigns").last().waitFor();
      assert.deepEqual(await wrongInBothSchemes(page, `palette-${size.width}`), []);
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
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    assert.match(page.url(), /\/console\/agents\?type=sms$/);
    assert.deepEqual(wrong, []);

    await page.getByRole("button", { name: /account and appearance/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/console/agents");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  await t.test("? shows the keys that work on this page, and each of them does", async () => {
    const { page, wrong } = await openPage(browser, service.url, undefined, state);
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const keys = () => help.locator("kbd").allTextContents();
    await page.goto("/console/agents/new");
    await page.getByRole("heading", { name: "New agent", level: 1 }).waitFor();
    await page.keyboard.press("?");
    await help.waitFor();
    assert.deepEqual(await keys(), ["Ctrl", "K", "?"]);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    // Two rows, so that there is a next one and one before.
    const contacts = ["Ada", "Bo"].map((first_name, at) => ({ first_name, phone_number: `+1212555010${at}` }));
    const list = await service.post("/v1/contacts/lists", { ...(await ownerOf(page)), list_name: "Two", contacts });
    assert.equal(list.status, 201);
    await page.goto("/console/contacts");
    const rows = page.getByRole("grid", { name: "Contacts" }).locator("[data-row]");
    await rows.nth(1).waitFor();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await help.waitFor();
    assert.deepEqual(await keys(), ["Ctrl", "K", "?", "/", "Esc", "j", "k", "↓", "↑", "Home", "End", "Enter", "x"]);
    assert.deepEqual(await wrongInBothSchemes(page, "keyboard-help"), []);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    const isAt = (at: number) => page.locator(`[data-row="${at}"]:focus`).waitFor();
    await page.keyboard.press("j");
    await isAt(0);
    for (const [key, at] of [
      ["j", 1],
      ["k", 0],
      ["ArrowDown", 1],
      ["ArrowUp", 0],
      ["End", 1],
      ["Home", 0],
    ] as const) {
      await page.keyboard.press(key);
      await isAt(at);
    }
    await page.keyboard.press("x");
    await page.getByRole("checkbox", { checked: true }).first().waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("Enter");
    await page.waitForURL(/contact=/);
    await page.getByRole("dialog").getByRole("heading").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForURL(/contacts$/);
    // The drawer gives the focus back.
    await isAt(0);
    await page.keyboard.press("/");
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.type("A");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("input[type=search]:focus").inputValue(), "");
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search pages").waitFor();
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  await t.test("the first page comes in a third of all, and the pages nobody opens do not come with it", async (t) => {
    const { page } = await openPage(browser, service.url, undefined, state);
    await page.goto("/console/");
    await settle(page);
    const loaded = (await page.evaluate(
      `performance.getEntriesByType("resource").filter((it) => it.name.includes("/console/"))
        .map((it) => [new URL(it.name).pathname, it.encodedBodySize])`,
    )) as [string, number][];
    const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);

    assert.ok(bytes > 0 && bytes < FIRST_BYTES, `${bytes} bytes: ${JSON.stringify(loaded)}`);
    assert.deepEqual(
      loaded.filter(([path]) => /\/(palette|fields|forms|agents|calls|sign-in)-/.test(path)),
      [],
    );
    t.diagnostic(`${bytes} bytes in ${loaded.length} files`);
    await page.context().close();
  });
});
