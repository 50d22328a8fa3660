// npm run screenshots [-- --out FOLDER] [-- --only NAME,NAME] [-- --docs]: pictures of every page with demo data, and what each costs.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM, DESKTOP, FLAGS, SIZES, settle, setUpThere, violations } from "../test/support/browser/browser.ts";
import { root } from "../test/support/source/source.ts";
import { watch } from "./screenshots/measure.ts";
import { nameOf, pathsOf } from "./screenshots/pages.ts";
import { startDemo } from "./screenshots/service.ts";

/** What README.md and docs/ show: page, width and scheme. */
const IN_DOCS = [
  "home-1440-light",
  "home-1440-dark",
  "sms-campaigns-detail-1440-light",
  "conversations-detail-1440-light",
  "calls-detail-1440-light",
  "agents-detail-1440-light",
  "simulator-phones-1440-light",
];
const QUALITY = 82;
const WAIT_MS = 60_000;

const { values } = parseArgs({
  options: { out: { type: "string" }, only: { type: "string" }, docs: { type: "boolean", default: false } },
});
if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing.`);
const out = values.out ?? mkdtempSync(join(tmpdir(), "parley-pictures-"));
const only = values.only?.split(",");
const images = join(root, "docs/images");
const data = mkdtempSync(join(tmpdir(), "parley-screenshots-"));
mkdirSync(out, { recursive: true });

/** What is in sight, as WebP: text stays sharp at a third of a PNG's size. */
async function picture(page: Page, name: string): Promise<void> {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await debug.detach();
  const bytes = Buffer.from(data, "base64");
  writeFileSync(join(out, `${name}.webp`), bytes);
  if (values.docs && IN_DOCS.includes(name)) writeFileSync(join(images, `${name}.webp`), bytes);
}

const service = await startDemo(data).catch((error) => {
  rmSync(data, { recursive: true, force: true });
  throw error;
});
let browser: Browser | undefined;
try {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const context = await browser.newContext({ baseURL: service.url, viewport: DESKTOP, colorScheme: "light" });
  context.setDefaultTimeout(WAIT_MS);
  const first = await context.newPage();
  await setUpThere(first, service.setupLink);
  const { demo } = (await service.get("/v1/demo")) as { demo: { organization_ids: string[] } };
  const organizationId = demo.organization_ids[0]!;
  await first.evaluate(`localStorage.setItem("parley-organization", ${JSON.stringify(organizationId)})`);
  const paths = await pathsOf(first, service, organizationId);
  const storageState = await context.storageState();
  await context.close();

  console.log(`${"page".padEnd(30)} LCP ms    CLS requests  axe`);
  for (const path of paths) {
    const name = nameOf(path);
    if (only && !only.includes(name)) continue;
    // Nothing is kept from the page before: a first visit.
    const visit = await browser.newContext({
      baseURL: service.url,
      viewport: DESKTOP,
      storageState,
      reducedMotion: "reduce",
    });
    visit.setDefaultTimeout(WAIT_MS);
    const page = await visit.newPage();
    const read = await watch(page);
    await page.goto(`/console${path}`);
    await settle(page);
    const { lcpMs, cls, requests } = await read();
    const axe = await violations(page);
    const figures = `${String(lcpMs).padStart(6)} ${cls.toFixed(3).padStart(6)} ${String(requests).padStart(8)}`;
    console.log(`${name.padEnd(30)} ${figures} ${String(axe.length).padStart(4)}`);
    for (const violation of axe) console.log(`  ${violation}`);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await settle(page);
        await picture(page, `${name}-${size.width}-${colorScheme}`);
      }
    }
    await visit.close();
  }
  console.log(`The pictures are in ${out}${values.docs ? ` and ${images}` : ""}.`);
} finally {
  await browser?.close().catch(() => {});
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
