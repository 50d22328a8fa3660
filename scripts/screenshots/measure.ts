import type { Page } from "playwright-core";

/** What a page cost its first visitor: milliseconds to the largest paint, shift of the layout, requests; `axe` is counted by the caller. */
export type Measured = { lcpMs: number; cls: number; requests: number };

// Ended by the page's own policy where it is added as a script; a page's observers begin with it.
const OBSERVE = `(() => {
  const seen = { lcp: 0, cls: 0 };
  globalThis.parleySeen = seen;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.lcp = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.cls += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
})()`;

/** Begins to watch a page of a context that has loaded nothing yet; what it answers with reads the figures. */
export async function watch(page: Page): Promise<() => Promise<Measured>> {
  let requests = 0;
  page.on("request", () => {
    requests += 1;
  });
  await page.addInitScript(OBSERVE);
  return async () => {
    // What was painted last is reported with the frame after.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const { lcp, cls } = (await page.evaluate("globalThis.parleySeen")) as { lcp: number; cls: number };
    return { lcpMs: Math.round(lcp), cls: Math.round(cls * 1_000) / 1_000, requests };
  };
}
