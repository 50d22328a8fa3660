import assert from "node:assert/strict";
import { wire } from "#app/context.ts";
import type { Role } from "#contract/accounts/roles.ts";
import { parseId } from "#domain/values/id.ts";
import { inviteUser } from "#operations/accounts/change-user.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { operatorOf } from "#operations/accounts/operator.ts";
import { setupToken } from "#operations/accounts/sign-in.ts";
import type { Answer, Parley } from "#test/support/api/parley.ts";

type Service = Pick<Parley, "config" | "databaseUrl" | "url" | "request">;

/** Somebody with a browser: what he asks carries his cookie, and what a page of the console would send beside it. */
export type Person = {
  email: string;
  /** As the Cookie header has it: name=value. */
  cookie: string;
  /** The answer to the sign-in. */
  session: Record<string, string> & { user: Record<string, string> };
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

export const PASSWORD = "correct horse battery 7";

let last = 0;
export const anEmail = (): string => `person${++last}@acme.example`;

/** The token of the link that is printed at the start. */
export async function tokenOfSetup(api: Pick<Service, "config" | "databaseUrl">): Promise<string> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "setup");
  return setupToken(ctx).finally(close);
}

/** The token of an invitation of a new user of a tenant, as an operator hands it out. */
export async function anInvitation(
  api: Pick<Service, "config" | "databaseUrl">,
  tenant: string,
  permission: Role,
  email: string,
): Promise<string> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "operator");
  try {
    const operator = (await operatorOf(ctx, parseId("tenant", tenant)!))!;
    const { id } = await createOrganization(ctx, operator, { name: "Acme" });
    const user = await createUser(ctx, operator, id, { name: permission, email, permission });
    return (await inviteUser(ctx, operator, user.id)).token;
  } finally {
    await close();
  }
}

/** A new user of the tenant of a key, signed in. */
export async function aPerson(
  api: Service & Pick<Parley, "get">,
  permission: Role,
  of: Pick<Parley, "get"> = api,
): Promise<Person> {
  const email = anEmail();
  const token = await anInvitation(api, (await of.get("/v1/me")).body.tenant_id, permission, email);
  return personOf(api, email, await open(api, "/v1/invitations", { token, password: PASSWORD }));
}

/** Asks without a key. */
export const open = (api: Pick<Service, "request">, path: string, body: unknown, headers = {}): Promise<Answer> =>
  api.request("POST", path, body, { key: null, headers });

export const signIn = (api: Pick<Service, "request">, email: string, password: string, headers = {}): Promise<Answer> =>
  open(api, "/v1/session", { email, password }, headers);

/** Whoever was answered so when he signed in. */
export function personOf(api: Pick<Service, "request" | "url">, email: string, answer: Answer): Person {
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [cookie] = cookiesOf(answer)[0]!.split(";");
  return asking(api, { email, cookie: cookie!, session: answer.body.session });
}

/** The same browser at another node. */
export const through = (api: Pick<Service, "request" | "url">, person: Person): Person => asking(api, person);

function asking(api: Pick<Service, "request" | "url">, { email, cookie, session }: Omit<Person, "ask">): Person {
  const own = { cookie, origin: new URL(api.url).origin, "x-csrf-token": session.csrf_token! };
  const ask: Person["ask"] = (method, path, body, headers = {}) =>
    api.request(method, path, body, { key: null, headers: { ...own, ...headers } });
  return { email, cookie, session, ask };
}

export const cookiesOf = ({ headers }: Answer): string[] => headers.getSetCookie();
