import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { root } from "#test/support/source/source.ts";

/** Debian's own. */
export const CHROMIUM = "/usr/bin/chromium";

/**
 * What Chromium does of itself, and pages here do without. Beside each new window it would load two pages of its address bar (`WebUIOmnibox...`), half a
 * second's work of a core that a page of ours would wait for. The others are Playwright's own list, which this one replaces.
 */
const OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

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
  `--disable-features=${OFF.join(",")}`,
];

/** Two slow cores may be shared by nine, and what never comes is waited for only once. */
const PATIENCE_MS = 90_000;

/** Where pictures of pages are left for somebody to look at; none are taken unless it is set. */
const PICTURES = process.env.PARLEY_PICTURES;

/** Why a test of a page is skipped, for its option `skip`. In CI a skipped test is a failure. */
export const withoutBrowser = existsSync(CHROMIUM) ? false : `${CHROMIUM} is missing`;

export type Size = { width: number; height: number };

/** A desktop and a telephone. */
export const SIZES: readonly Size[] = [
  { width: 1440, height: 900 },
  { width: 375, height: 740 },
];
export const [DESKTOP, TELEPHONE] = SIZES as [Size, Size];

/** A page, and all that went wrong on it since it was opened: a test ends with `assert.deepEqual(it.wrong, [])`. */
export type Watched = { page: Page; wrong: string[] };

/** Closed when the test ends. `flags` are Chromium's own, beside those that every test's has. */
export async function openBrowser(t: TestContext, flags: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...FLAGS, ...flags],
    timeout: PATIENCE_MS,
  });
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
  viewport: Size = DESKTOP,
  state?: Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>,
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: url,
    viewport,
    colorScheme: "light",
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
    // What is asked for before it is needed (console/public/first.js) is what is needed.
    if (/^A preload for .* but is not used/.test(message.text())) wrong.push(`console: ${message.text()}`);
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

let source: string | undefined;
function axe(): string {
  source ??= readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
  return source;
}

type Violation = { id: string; impact: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

/** What axe finds that is serious or worse, a line each; by all its rules, or by those that are named. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger's protocol, which the page's own policy does not bind. Half a megabyte: once for a document.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe());
  await endFades(page);
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

/** Every colour is at once what it fades to: in between, a text may be too pale. */
const endFades = (page: Page): Promise<void> =>
  page.evaluate<void>(
    "document.getAnimations().filter((it) => it instanceof CSSTransition).forEach((it) => it.finish())",
  );

/** As when the evening comes. */
async function darken(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
  await endFades(page);
}

const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");

/** The words of states that are not shown whole: cut by their own badge, or by the cell of a table. */
const cutStates = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(".parley-tone > .mantine-Badge-label")]
    .filter((label) => {
      const cell = label.closest("[role=gridcell]");
      const isCut = cell !== null && label.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
      return isCut || label.scrollWidth > label.clientWidth + 1;
    })
    .map((label) => label.textContent)`);

/** What a page of this width does not show as it should: it scrolls sideways, or cuts states off. */
async function wrongOfWidth(page: Page, name: string): Promise<string[]> {
  const cut = (await cutStates(page)).map((word) => `${name} cuts "${word}" off`);
  return (await scrollsSideways(page)) ? [`${name} scrolls sideways`, ...cut] : cut;
}

/** What is wrong with what a page shows, in both schemes: what axe finds, whether it scrolls sideways, and states that are cut off. */
export async function wrongInBothSchemes(page: Page, name: string): Promise<string[]> {
  await picture(page, `${name}-light`);
  const found = (await violations(page)).map((violation) => `${name}: ${violation}`);
  await darken(page);
  await picture(page, `${name}-dark`);
  found.push(...(await violations(page, OF_COLOURS)).map((violation) => `${name}, dark: ${violation}`));
  found.push(...(await wrongOfWidth(page, name)));
  return found;
}

/**
 * What is wrong with what a desktop's page shows and every-page.test.ts cannot open by its URL: what axe finds, and
 * whether it is too wide for a telephone or cuts states off there.
 */
export async function wrongWith(page: Page, name: string): Promise<string[]> {
  await picture(page, name);
  const found = await violations(page);
  await page.setViewportSize(TELEPHONE);
  // What floats over the page is moved in the frame after.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  found.push(...(await wrongOfWidth(page, name)));
  await picture(page, `${name}-${TELEPHONE.width}`);
  await page.setViewportSize(DESKTOP);
  return found;
}

/** A picture of the whole page, where somebody has asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
