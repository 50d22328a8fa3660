import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { LOOKS, openPage, picture, settle, violations } from "./browser.ts";
import { aNoon } from "./campaign.ts";
import type { ConsoleProcess } from "./console-process.ts";

export type Owner = { organization_id: string; user_id: string };

/** By their last two digits: unreachable, filtered, a landline; the others take texts and calls. */
export const PEOPLE = [
  { phone_number: "+12125550101", first_name: "Ada" },
  { phone_number: "+12125550102", first_name: "Bo" },
  { phone_number: "+12125550103", first_name: "Cy" },
  { phone_number: "+12125550120", first_name: "Dee" },
  { phone_number: "+12125550121", first_name: "Eve" },
  { phone_number: "+12125550122" },
];

/** Whose campaigns the signed-in user of a page makes. */
export async function ownerOf(page: Page): Promise<Owner> {
  const { session } = (await page.evaluate("fetch('/v1/session').then((it) => it.json())")) as {
    session: { organizations: { unique_id: string }[]; user: { unique_id: string } };
  };
  return { organization_id: session.organizations[0]!.unique_id, user_id: session.user.unique_id };
}

/** An agent of the type and a list of PEOPLE, at noon. */
export async function seedCampaigns(
  api: Pick<ConsoleProcess, "get" | "post">,
  owner: Owner,
  agent: Record<string, unknown>,
): Promise<void> {
  await aNoon(api);
  const prompt = "Find out whether the contact wants to buy a home.";
  const made = await api.post("/v1/agents", { ...owner, prompt, ...agent });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const list = await api.post("/v1/contacts/lists", { ...owner, list_name: "Spring buyers", contacts: PEOPLE });
  assert.equal(list.status, 201, JSON.stringify(list.body));
}

/** Looks at pages, by the name of their picture and their path, at every size and in both schemes. */
export async function everyLook(
  t: TestContext,
  it: { browser: Browser; url: string; page: Page; paths: Readonly<Record<string, string>> },
): Promise<void> {
  const state = await it.page.context().storageState();
  for (const look of LOOKS) {
    await t.test(`at ${look.width} px, ${look.scheme}`, async () => {
      const { page, wrong } = await openPage(it.browser, it.url, look, state);
      for (const [name, path] of Object.entries(it.paths)) {
        await page.goto(path);
        await settle(page);
        await picture(page, `${name}-${look.width}-${look.scheme}`);
        assert.deepEqual(await violations(page), [], name);
        const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        assert.equal(isWide, false, `${name} scrolls sideways`);
      }
      assert.deepEqual(wrong, []);
      await page.context().close();
    });
  }
}
