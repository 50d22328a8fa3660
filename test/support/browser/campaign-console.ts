import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Owner } from "#test/support/accounts/owner.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import type { ConsoleProcess } from "#test/support/processes/console-process.ts";

/** By their last two digits: unreachable, filtered, a landline; the others take texts and calls. */
export const PEOPLE = [
  { phone_number: "+12125550101", first_name: "Ada" },
  { phone_number: "+12125550102", first_name: "Bo" },
  { phone_number: "+12125550103", first_name: "Cy" },
  { phone_number: "+12125550120", first_name: "Dee" },
  { phone_number: "+12125550121", first_name: "Eve" },
  { phone_number: "+12125550122" },
];

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

/** Gets a number where a form says that there is none; it is chosen there then. */
export async function getNumber(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Get a number" }).click();
  const dialog = page.getByRole("dialog", { name: "Get a number" });
  await dialog
    .getByRole("button", { name: /^Get \(/ })
    .first()
    .click();
  await dialog.waitFor({ state: "detached" });
}
