import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openBrowser, openPage, settle, setUpThere, withoutBrowser } from "#test/support/browser.ts";
import { startConsole } from "#test/support/console-process.ts";
import { root } from "#test/support/source.ts";

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

test("the first page comes in a third of that, and the pages nobody opens do not come with it", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const first = await openPage(browser, service.url);
  await setUpThere(first.page, service.setupLink);
  const state = await first.page.context().storageState();

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
    loaded.filter(([path]) => /\/(palette|agents|calls|sign-in)-/.test(path)),
    [],
  );
  t.diagnostic(`${bytes} bytes in ${loaded.length} files`);
});
