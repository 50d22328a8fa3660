import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { readConfig } from "#app/settings/config.ts";
import { anEmail, anInvitation, open, PASSWORD } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { client, type Parley, until } from "#test/support/api/parley.ts";
import { ADMIN, openBrowser, openPage, setUpThere, withoutBrowser } from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";
import { startCountingProxy } from "#test/support/processes/counting-proxy.ts";

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
const TABS = 8;
const EVENTS = "/console/developers/events";

const upToDate = (page: Page) => page.getByText("Up to date", { exact: true }).first().waitFor();
/** The row of an event that a page has heard of as it happened, or read. */
const rowOf = (page: Page, phone: string) => page.getByRole("row", { name: new RegExp(phone.slice(1)) }).first();

let last = 100;
/** Something happens to a tenant, and its log says so with this number. */
async function anEvent(of: Pick<Parley, "post">): Promise<string> {
  const phone = `+12125550${last++}`;
  assert.equal((await of.post("/v1/dnc/add", { phone_number: phone })).status, 201);
  return phone;
}

async function openTab(context: BrowserContext, path = EVENTS): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await upToDate(page);
  return page;
}

/** Ends the shared workers there are, as a browser that runs out of memory does. */
async function endWorkers(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets", { filter: [{ type: "shared_worker" }] });
  for (const { targetId } of targetInfos) await session.send("Target.closeTarget", { targetId });
  await session.detach();
  return targetInfos.length;
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.locator("input[type=password]").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("all tabs of a browser follow what happens by one stream", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker", env: { PARLEY_SECRET_KEY: SECRET_KEY } });
  const proxy = await startCountingProxy(t, service.url, "GET /v1/events/stream");
  const browser = await openBrowser(t);
  const first = await openPage(browser, proxy.url);
  const context = first.page.context();
  await setUpThere(first.page, service.setupLink.replace(service.url, proxy.url));
  const tabs = [first.page];
  const streams = (count: number) => until(`there is ${count} stream`, async () => proxy.open() === count);
  const allHear = async () => {
    const phone = await anEvent(service);
    for (const tab of tabs) await rowOf(tab, phone).waitFor();
  };

  await t.test("eight tabs have one stream, and each hears what happens", async () => {
    await first.page.goto(EVENTS);
    await upToDate(first.page);
    while (tabs.length < TABS) tabs.push(await openTab(context));
    await streams(1);
    await allHear();
    assert.deepEqual(first.wrong, []);
  });

  await t.test("the tab that opened it goes, and the others go on", async () => {
    await tabs.shift()!.close();
    await allHear();
    await streams(1);
  });

  await t.test("what holds the stream dies, and the tabs have another", async () => {
    assert.equal(await endWorkers(browser), 1);
    await streams(0);
    await streams(1);
    for (const tab of tabs) await upToDate(tab);
    await allHear();
    await streams(1);
  });

  const config = readConfig({ DATABASE_URL: service.databaseUrl, PARLEY_SECRET_KEY: SECRET_KEY });
  const theirs = await anotherTenant({ ...service, config });
  const tenantId = (await theirs.get("/v1/me")).body.tenant_id;
  const bo = anEmail();
  const token = await anInvitation({ config, databaseUrl: service.databaseUrl }, tenantId, "admin", bo);
  assert.equal((await open(client(service.url, ""), "/v1/invitations", { token, password: PASSWORD })).status, 201);

  await t.test("somebody else signs in in one tab: the others show his, and hear nothing of the former's", async () => {
    const [here, ...others] = tabs as [Page, ...Page[]];
    await here.goto("/console/sign-in");
    await signIn(here, bo, PASSWORD);
    await here.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await here.goto(EVENTS);
    await upToDate(here);
    const former = await anEvent(service);
    const own = await anEvent(theirs);
    for (const tab of [here, ...others]) {
      await rowOf(tab, own).waitFor();
      assert.equal(await rowOf(tab, former).count(), 0);
    }
    await streams(1);
  });

  await t.test("signing out in one tab ends the stream of all, and leads each to the sign-in page", async () => {
    const [here] = tabs as [Page];
    await here.getByRole("button", { name: /account and appearance/ }).click();
    await here.getByRole("menuitem", { name: "Sign out" }).click();
    for (const tab of tabs) await tab.getByRole("heading", { name: "Sign in" }).waitFor();
    await streams(0);
  });

  await t.test("a page that is left has no stream", async () => {
    const [here, other] = tabs as [Page, Page];
    await signIn(here, ADMIN.email, ADMIN.password);
    await here.getByRole("heading", { level: 1 }).first().waitFor();
    await streams(1);
    await here.goto("about:blank");
    await streams(0);
    await other.goto(EVENTS);
    await upToDate(other);
    await streams(1);
  });
});
