import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import {
  ADMIN,
  openBrowser,
  openPage,
  SIZES,
  settle,
  setUpThere,
  withoutBrowser,
  wrongInBothSchemes,
} from "#test/support/browser/browser.ts";
import { type ConsoleProcess, startConsole } from "#test/support/processes/console-process.ts";
import { until } from "#test/support/time/until.ts";

/** A process under load makes the demo's calls and conversations. */
const WITHIN_MS = 120_000;

/** Loads the demo data by its button, and shows the first of its organizations. Answers with that organization. */
async function loadDemo(page: Page, api: ConsoleProcess): Promise<string> {
  await page.goto("/console/system");
  await page.getByRole("button", { name: "Load demo data" }).click();
  await page.getByText("The demo data is loaded").waitFor({ timeout: WITHIN_MS });
  await page.getByRole("button", { name: `Organization: ${ADMIN.organization}` }).click();
  await page.getByRole("menuitem", { name: "Sunrise Realty" }).click();
  return (await api.get("/v1/demo")).body.demo.organization_ids[0];
}

/** A detail of each page that has some, once there is one with something in it. */
async function detailsOf(api: ConsoleProcess, organizationId: string): Promise<string[]> {
  const first = <T extends string>(
    path: string,
    plural: T,
    where: (row: Record<string, unknown>) => boolean = Boolean,
  ) =>
    until(
      `there is one of ${path}`,
      async () => {
        const { body } = await api.get(`${path}?organization_id=${organizationId}&limit=100`);
        return (body[plural] as Record<string, string>[]).find(where);
      },
      WITHIN_MS,
    );
  const agent = await first("/v1/agents", "agents");
  const lead = await first("/v1/contacts/leads", "leads");
  const list = await first("/v1/contacts/lists", "lists");
  const thread = await first(
    "/v1/sms/threads",
    "threads",
    (row) => row.state === "replied" || row.state === "completed",
  );
  const call = await first("/v1/voice/calls", "calls", (row) => row.call_status === "ended");
  const number = await first("/v1/voice/phone-numbers", "phone_numbers");
  const phone = encodeURIComponent(thread.phone_number!);
  return [
    `/agents/${agent.agent_id}`,
    `/agents/${agent.agent_id}?tab=versions`,
    "/agents/new",
    `/contacts?contact=${lead.unique_id}`,
    `/lists/${list.list_id}`,
    "/lists/import",
    "/sms-campaigns/demo_spring",
    "/sms-campaigns/new",
    "/voice-campaigns/demo_spring_calls",
    "/voice-campaigns/new",
    `/conversations/${encodeURIComponent(thread.thread_id!)}`,
    `/calls/${call.call_id}`,
    `/simulator?phones=${phone},${encodeURIComponent(lead.phone_number!)}`,
    `/numbers?number=${encodeURIComponent(number.phone_number!)}`,
    "/numbers/new",
    "/numbers/brands",
    "/carriers/new",
    "/do-not-call?view=opt-outs",
    "/developers/requests",
    "/developers/events",
    "/developers/reference",
    "/system/users",
    "/system/organizations",
    "/system/single-sign-on",
    "/system/activity",
    "/system/account",
  ];
}

/** What the page asks for while its scripts load, and then asks for in other words: these name it twice. Begins anew with each call. */
function watchFirst(page: Page): () => string[] {
  let early: URL[] = [];
  let late: URL[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!url.pathname.startsWith("/v1/")) return;
    // A link is no fetch to the browser.
    (request.resourceType() === "other" ? early : late).push(url);
  });
  return () => {
    const twice = early.flatMap(({ pathname, search }) =>
      late
        .filter((url) => url.pathname === pathname && url.search !== search)
        .map((url) => `${pathname}${search} is asked for first, and then ${url.search}`),
    );
    early = [];
    late = [];
    return twice;
  };
}

const nameOf = (path: string): string => path.replace(/^\//, "").replace(/[^a-z0-9]+/gi, "-") || "home";

test("every page holds with demo data, at both sizes and in both schemes", {
  skip: withoutBrowser,
  concurrency: SIZES.length,
}, async (t) => {
  const service = await startConsole(t, { roles: "api,worker,media", env: { PARLEY_SIMULATOR_CALLS: "text" } });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const organizationId = await loadDemo(page, service);
  const places = await page
    .getByRole("navigation")
    .getByRole("link")
    .evaluateAll((links: { href: string }[]) =>
      links.map(({ href }) => new URL(href).pathname.replace(/^\/console/, "")),
    );
  assert.ok(places.length >= 14, `only ${places.join(", ")}`);
  const paths = [...places, ...(await detailsOf(service, organizationId))];
  const state = await page.context().storageState();
  assert.deepEqual(wrong, []);
  await page.context().close();

  // Each size has a process of the browser to itself.
  const looks = SIZES.map((size) =>
    t.test(`at ${size.width} px, light and dark`, async () => {
      const { page, wrong } = await openPage(browser, service.url, size, state);
      const found: string[] = [];
      const askedTwice = watchFirst(page);
      for (const path of paths) {
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(`/console${path}`);
        await settle(page);
        const name = `every-${nameOf(path)}-${size.width}`;
        found.push(...askedTwice());
        found.push(
          ...(await wrongInBothSchemes(page, name)),
          ...wrong.splice(0).map((problem) => `${name}: ${problem}`),
        );
      }
      assert.deepEqual(found, []);
    }),
  );
  await Promise.all(looks);
});
