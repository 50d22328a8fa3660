import assert from "node:assert/strict";
import { type Browser, chromium, type Page } from "playwright-core";
import { leadsOf } from "#app/capacity/people.ts";
import { anInvitation, PASSWORD } from "#test/support/accounts/person.ts";
import { CHROMIUM, FLAGS } from "#test/support/browser/browser.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { onItsOwnCore } from "../own-core.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

/** Two slow cores have the service, its database and the browser. */
const PATIENCE_MS = 120_000;
/** What the browser itself calls a long task. */
const LONG_TASK_MS = 50;

const VIEWPORT = { width: 1440, height: 900 };

type StorageState = Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>;
type Watched = { frames: number[]; longTasks: number[]; heapMb: [number, number] };

/**
 * The detail of a campaign of 100,000 in Chromium while it is texted: how even the frames are, how long the page keeps its
 * thread, and whether its memory grows. The browser has a core of its own then, as on its user's machine. An empty page is drawn beside the same
 * service, api and worker.
 */
export async function run(bench: Bench): Promise<void> {
  const [recipients, seconds] = bench.small ? [500, 4] : [100_000, 60];
  const service = await startService(bench);
  let browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    await service.startWorker();
    const { campaignId, organizationId } = await aCampaign(service, {
      contacts: leadsOf(recipients),
      agent: { starting_message: "Hi {{first_name}}, this is Ava. Do you have a minute?" },
      campaign: { campaign_begin_time: await soon(service) },
    });
    const storageState = await signedIn(browser, service, organizationId);
    await paint(bench, browser, storageState, `${service.url}/console/sms-campaigns/${campaignId}`);
    await browser.close();
    const executablePath = await onItsOwnCore(CHROMIUM, bench.folder, service.sql);
    browser = await chromium.launch({ executablePath, args: FLAGS });
    const page = await browser.newPage({ baseURL: service.url, viewport: VIEWPORT, storageState });
    page.setDefaultTimeout(PATIENCE_MS);
    await moveOn(service);
    await page.goto(`/console/sms-campaigns/${campaignId}`);
    await page.getByRole("grid", { name: "Recipients" }).getByRole("row").nth(5).waitFor();
    const idle = await watch(page, Math.min(seconds, 10), false);
    const busy = await watch(page, seconds, true);
    const empty = await watch(await browser.newPage(), Math.min(seconds, 10), true);
    const { counts } = (await service.get(`/v1/campaigns/${campaignId}`)).body.campaign;
    assert.ok(counts.delivered > 0, "nothing was texted meanwhile");
    bench.figure({
      name: "frame p95",
      value: quantile(busy.frames, 0.95),
      unit: "ms",
      baseline: quantile(empty.frames, 0.95),
    });
    bench.figure({
      name: "frame p95, nobody scrolls",
      value: quantile(idle.frames, 0.95),
      unit: "ms",
      baseline: quantile(empty.frames, 0.95),
    });
    bench.figure({
      name: "longest task",
      value: Math.max(0, ...busy.longTasks) || 1,
      unit: "ms",
      baseline: LONG_TASK_MS,
    });
    bench.figure({
      name: "long tasks a minute",
      value: (busy.longTasks.length / seconds) * 60 || 0.001,
      unit: "tasks",
      baseline: null,
    });
    bench.figure({ name: "heap after", value: busy.heapMb[1], unit: "MB", baseline: busy.heapMb[0] });
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** The noon that the campaign waits for, so that it begins when somebody looks on. */
async function soon(service: Service): Promise<string> {
  const noon = await aNoon(service);
  return new Date(noon.getTime() + BEGINS_AFTER_MS).toISOString();
}

const BEGINS_AFTER_MS = 3_600_000;
const moveOn = (service: Service) => service.post("/v1/simulator/clock", { advance_ms: BEGINS_AFTER_MS });

/** What the browser of an admin keeps who looks on, as one whom an operator has invited: users that a test key makes cannot sign in. */
async function signedIn(browser: Browser, service: Service, organizationId: string): Promise<StorageState> {
  const { tenant_id } = (await service.get("/v1/me")).body;
  const token = await anInvitation(service, tenant_id, "admin", "lou@bench.example");
  const page = await browser.newPage({ baseURL: service.url });
  const data = { token, password: PASSWORD };
  const answer = await page.context().request.post("/v1/invitations", { data });
  assert.equal(answer.status(), 201, await answer.text());
  // The organization is chosen as by the switcher: the admin's own is another.
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.evaluate(`localStorage.setItem("parley-organization", ${JSON.stringify(organizationId)})`);
  const state = await page.context().storageState();
  await page.close();
  return state;
}

/** How long it takes from the address until there is something to see, and until the campaign's first recipients are there to be read. */
async function paint(bench: Bench, browser: Browser, storageState: StorageState, url: string): Promise<void> {
  const bare: number[] = [];
  const [cold, warm] = [
    { first: [] as number[], useful: [] as number[] },
    { first: [] as number[], useful: [] as number[] },
  ];
  for (let turn = 0; turn < (bench.small ? 1 : LOADS); turn++) {
    // Another browser's: nothing of it is cached.
    const context = await browser.newContext({ storageState, viewport: VIEWPORT });
    const fresh = await context.newPage();
    fresh.setDefaultTimeout(PATIENCE_MS);
    await fresh.goto(new URL("/readyz", url).href);
    bare.push(await firstPaint(fresh));
    for (const opening of [cold, warm]) {
      await fresh.goto(url);
      await fresh.getByRole("grid", { name: "Recipients" }).getByRole("row").nth(5).waitFor();
      opening.useful.push((await fresh.evaluate("performance.now()")) as number);
      opening.first.push(await firstPaint(fresh));
    }
    await context.close();
  }
  for (const [when, opening] of [
    ["nothing cached", cold],
    ["opened again", warm],
  ] as const) {
    bench.figure({
      name: `first paint, ${when}`,
      value: quantile(opening.first, 0.5),
      unit: "ms",
      baseline: quantile(bare, 0.5),
    });
    bench.figure({
      name: `first useful paint, ${when}`,
      value: quantile(opening.useful, 0.5),
      unit: "ms",
      baseline: quantile(bare, 0.5),
    });
  }
}

const LOADS = 7;

async function firstPaint(page: Page): Promise<number> {
  return (await page.evaluate(FIRST_PAINT)) as number;
}

/** Looks on for some seconds, scrolling to and fro as a reader does, or leaving the page alone. */
async function watch(page: Page, seconds: number, isScrolled: boolean): Promise<Watched> {
  const heap = await heapMeter(page);
  const before = await heap();
  await page.evaluate(BEGIN);
  const until = Date.now() + seconds * 1_000;
  for (let turn = 0; Date.now() < until; turn++) {
    if (isScrolled) await page.mouse.wheel(0, turn % 20 < 10 ? 240 : -240);
    await page.waitForTimeout(100);
  }
  const { frames, longTasks } = (await page.evaluate(END)) as Omit<Watched, "heapMb">;
  return { frames, longTasks, heapMb: [before, await heap()] };
}

/** What is in use once the garbage is gone. */
async function heapMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  return async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize / 1024 / 1024;
  };
}

// Run in the page, whose types are not the bench's.
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntriesByName("first-contentful-paint")[0].startTime))
    .observe({ type: "paint", buffered: true }))`;
const BEGIN = `(() => {
  const it = { frames: [], longTasks: [], last: performance.now(), isOver: false };
  globalThis.watched = it;
  const frame = (at) => {
    it.frames.push(at - it.last);
    it.last = at;
    if (!it.isOver) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => it.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: "longtask" });
})()`;
const END = `(() => {
  const it = globalThis.watched;
  it.isOver = true;
  return { frames: it.frames.slice(2), longTasks: it.longTasks };
})()`;
