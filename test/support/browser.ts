import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { root } from "./source.ts";

/** Debian's own. */
export const CHROMIUM = "/usr/bin/chromium";

/** Nothing of its own goes out: no updates, no sign-in, no measurements. */
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Two slow cores may be shared by nine. */
const PATIENCE_MS = 30_000;

/** Where pictures of pages are left for somebody to look at; none are taken unless it is set. */
const PICTURES = process.env.PARLEY_PICTURES;

/** Why a test of a page is skipped, for its option `skip`. In CI a skipped test is a failure. */
export const withoutBrowser = existsSync(CHROMIUM) ? false : `${CHROMIUM} is missing`;

export type Look = { width: number; height: number; scheme: "light" | "dark" };

/** A desktop and a telephone, each in both schemes. */
export const LOOKS: readonly Look[] = [
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
  { width: 375, height: 740, scheme: "light" },
  { width: 375, height: 740, scheme: "dark" },
];
export const DESKTOP = LOOKS[0]!;

/** The sizes of the looks, for `lookAt`. */
export const SIZES = [
  { width: 1440, height: 900 },
  { width: 375, height: 740 },
] as const;

/** A page, and all that went wrong on it since it was opened: a test ends with `assert.deepEqual(it.wrong, [])`. */
export type Watched = { page: Page; wrong: string[] };

/** Closed when the test ends. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  t.after(() => browser.close());
  return browser;
}

/**
 * A new visitor's page: with nothing stored, unless `state` (a context's `storageState()`) is given. What goes wrong is
 * noted: a console error, an exception, an answer of 400 and up, a request that failed, one to another origin.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { width, height, scheme }: Look = DESKTOP,
  state?: Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>,
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
    ...(state ? { storageState: state } : {}),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const wrong: string[] = [];
  const { origin } = new URL(url);
  page.on("pageerror", (error) => wrong.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    // An answer of 400 and up is noted below, with its path.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      wrong.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (to.origin !== origin && !["data:", "blob:"].includes(to.protocol))
      wrong.push(`another origin: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // The page left before the answer came.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") wrong.push(`failed: ${request.url()}`);
  });
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    // How a visitor learns that nobody is signed in.
    if (response.status() === 401 && pathname === "/v1/session") return;
    if (response.status() >= 400) wrong.push(`${response.status()}: ${response.request().method()} ${pathname}`);
  });
  return { page, wrong };
}

export const ADMIN = {
  organization: "Acme Homes",
  name: "Ada",
  email: "ada@acme.example",
  password: "correct horse battery",
};

/** Goes through the setup link as its reader would; ends on the home page. */
export async function setUpThere(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel("Organization").fill(ADMIN.organization);
  await page.getByLabel("Your first name").fill(ADMIN.name);
  await page.getByLabel("E-mail").fill(ADMIN.email);
  await page.locator("input[type=password]").fill(ADMIN.password);
  await page.getByRole("button", { name: "Set up" }).click();
  await page
    .getByRole("link", { name: "Go to the console" })
    .or(page.getByRole("heading", { name: "Home" }))
    .waitFor();
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
}

/** Waits until nothing is being loaded any more: no skeleton, no line of progress. */
export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".mantine-Skeleton-root, .parley-progress").first().waitFor({ state: "detached" });
}

type Violation = { id: string; impact: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

/** What axe finds that is serious or worse, a line each; by all its rules, or by those that are named. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger's protocol, which the page's own policy does not bind.
  await page.evaluate(readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8"));
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Violation[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

/** What a scheme decides; all else is the same document in both. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** As when the evening comes; waits until every colour is what it fades to. */
async function darken(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished))`,
  );
}

/** What its pictures are called, its path, and what to wait for or do until all of it is there. */
export type Place = readonly [name: string, path: string, ready?: (page: Page) => Promise<unknown>];

/**
 * Looks at places at one size, in both schemes without opening them anew, signed in by `state`. Returns all that is
 * wrong: what axe finds, a page that scrolls sideways, and what `openPage` notes.
 */
export async function lookAt(
  browser: Browser,
  url: string,
  { width, height }: { width: number; height: number },
  state: Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>,
  places: readonly Place[],
): Promise<string[]> {
  const { page, wrong } = await openPage(browser, url, { width, height, scheme: "light" }, state);
  const found: string[] = [];
  for (const [name, path, ready] of places) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(path);
    await settle(page);
    await ready?.(page);
    await picture(page, `${name}-${width}-light`);
    found.push(...(await violations(page)).map((it) => `${name}: ${it}`));
    await darken(page);
    await picture(page, `${name}-${width}-dark`);
    found.push(...(await violations(page, OF_COLOURS)).map((it) => `${name}, dark: ${it}`));
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
      found.push(`${name} scrolls sideways`);
    found.push(...wrong.splice(0).map((it) => `${name}: ${it}`));
  }
  await page.context().close();
  return found;
}

/** A picture of the whole page, where somebody has asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
