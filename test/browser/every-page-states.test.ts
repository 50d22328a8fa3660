import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Route } from "playwright-core";
import { openBrowser, openPage, settle, setUpThere, TELEPHONE, withoutBrowser } from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";
import { readText } from "#test/support/source/source.ts";

/** What the frame around every page asks. */
const AROUND = /^\/v1\/(session|events\/stream|simulator\/clock)$/;

/** Forms and links that are there at once: nothing of them waits for an answer. */
const AT_ONCE = new Set([
  "/agents/new",
  "/lists/import",
  "/numbers/toll-free/new",
  "/sms-campaigns/first",
  "/simulator",
  "/developers/reference",
  // In the simulator there is no carrier to ask for, and nothing to check.
  "/carriers",
  "/going-live",
  "/carriers/new",
  "/carriers/id_00000000000000000000000001/connect",
]);

/** Said, with nothing that a page could do about it. */
const WITHOUT_ACTION = new Set(["No node runs", "No change yet"]);

/** As much as nobody sees: a tenth is what browsers' makers call good. */
const MOST_SHIFT = 0.05;

/** Every page of the router for who is signed in, with an id that nothing has in the place of each parameter. */
function pathsOf(): string[] {
  const router = readText("console/src/app/router.tsx");
  const folders = [...router.matchAll(/\{ path: "([a-z0-9-]+)", children: \w+ \}/g)].map(([, name]) => name!);
  assert.ok(folders.length > 10, `only ${folders.join(", ")}`);
  const below = (folder: string) =>
    [...readText(`console/src/pages/${folder}/routes.ts`).matchAll(/index: true|path: "([^"]+)"/g)].map(([, path]) =>
      path === undefined ? `/${folder}` : `/${folder}/${path.replace(/:\w+\??/g, "id_00000000000000000000000001")}`,
    );
  return ["/", ...folders.flatMap(below)];
}

/** Opens each page under an API whose answers to reads of it are given by `answer`, and answers with what `look` has to say. */
async function eachPage(
  page: Page,
  answer: (route: Route) => unknown,
  look: (path: string) => Promise<string[]>,
  paths = pathsOf(),
): Promise<string[]> {
  const found: string[] = [];
  await page.route(
    ({ pathname }) => pathname.startsWith("/v1/") && !AROUND.test(pathname),
    (route) => (route.request().method() === "GET" ? answer(route) : route.continue()),
  );
  for (const path of paths) {
    await page.goto(`/console${path}`);
    await page.locator("h1").first().waitFor();
    found.push(...(await look(path)).map((wrong) => `${path}: ${wrong}`));
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  return found;
}

/** How much of what stood on the page has moved since it was opened. */
const shiftOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() =>
      done(observer.takeRecords().reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0))));
  })`);

test("every page waits, fails and is empty in a way that one can go on from", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const first = await openPage(browser, service.url);
  await setUpThere(first.page, service.setupLink);
  const state = await first.page.context().storageState();
  const waiting = pathsOf().filter((path) => !AT_ONCE.has(path));

  await t.test("while the API is silent a skeleton stands for what is to come", async () => {
    const { page } = await openPage(browser, service.url, TELEPHONE, state);
    const held: Route[] = [];
    const look = async () => {
      await page.locator("main .mantine-Skeleton-root").first().waitFor({ state: "attached" });
      return [];
    };
    assert.deepEqual(await eachPage(page, (route) => held.push(route), look, waiting), []);
    assert.ok(held.length >= waiting.length, `${held.length} requests`);
    await page.context().close();
  });

  await t.test("what the API fails at is said, with a way to try again", async () => {
    const { page } = await openPage(browser, service.url, TELEPHONE, state);
    const body = JSON.stringify({ error: "The service has failed", code: "internal_error", details: [] });
    const look = async () => {
      await page
        .locator("main")
        .getByRole("button", { name: /try again/i })
        .first()
        .waitFor();
      await page.locator("main").getByText("The service has failed").filter({ visible: true }).first().waitFor();
      return [];
    };
    const fail = (route: Route) => route.fulfill({ status: 500, contentType: "application/json", body });
    assert.deepEqual(await eachPage(page, fail, look, waiting), []);
    await page.context().close();
  });

  await t.test("where there is nothing yet one action is offered, and nothing moves on the way there", async () => {
    const { page } = await openPage(browser, service.url, TELEPHONE, state);
    const look = async () => {
      await settle(page);
      const shift = await shiftOf(page);
      const empty = await page
        .locator("[data-empty]")
        .evaluateAll((all: { querySelector(of: string): { textContent: string } | null }[]) =>
          all
            .filter((state) => state.querySelector("a, button") === null)
            .map((state) => state.querySelector("h2")!.textContent),
        );
      return [
        ...empty.filter((title) => !WITHOUT_ACTION.has(title)).map((title) => `"${title}" has no action`),
        ...(shift > MOST_SHIFT ? [`${shift} of it moves`] : []),
      ];
    };
    assert.deepEqual(await eachPage(page, (route) => route.continue(), look), []);
    await page.context().close();
  });
});
