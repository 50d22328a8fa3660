import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Answer, Parley } from "#test/support/api/parley.ts";

export type Owner = { organization_id: string; user_id: string };

let made = 0;

/** An organization with a user, as agents, lists and campaigns need them. */
export async function anOwner(api: Pick<Parley, "post">): Promise<Owner> {
  const n = ++made;
  const organization = await api.post("/v1/organizations", { name: `Acme ${n}` });
  assert.equal(organization.status, 201);
  const organization_id = organization.body.unique_id as string;
  const email = `ann${n}@acme.example`;
  const user = await api.post(`/v1/organizations/${organization_id}/users`, { name: "Ann", email });
  assert.equal(user.status, 201);
  return { organization_id, user_id: user.body.unique_id };
}

/** Who is signed in on a page of the console: what is made for them by the API is seen on it. */
export async function ownerOf(page: Page): Promise<Owner> {
  const { session } = (await page.evaluate("fetch('/v1/session').then((it) => it.json())")) as {
    session: { organizations: { unique_id: string }[]; user: { unique_id: string } };
  };
  return { organization_id: session.organizations[0]!.unique_id, user_id: session.user.unique_id };
}

/** The fields that an error names, in its own order. */
export function wrongFields(answer: Answer): string[] {
  return (answer.body.details ?? []).map((detail: { field: string }) => detail.field);
}
