import type { Person } from "#test/support/accounts/person.ts";
import { type client, until } from "#test/support/api/parley.ts";

/** The headers of a request that say who asks, by the name that findings have for him. */
export type Callers = Record<string, Record<string, string>>;

/** Who is nobody, or no more: every one of them is answered as one without a key is. */
export const POWERLESS = ["none", "bad", "revoked", "expired", "signed out"];

/** Who may use up what is the tenant's: everyone else is refused, or asks for what is not his. */
export const OWNERS = ["ours", "a person"];

/** Another tenant's: to it what is ours is as foreign as what is theirs. */
export const STRANGER = "another tenant's";

/** A live key of ours: to it what is in test mode is as foreign as what is theirs, but for the keys, which it sees to. */
export const OTHER_MODE = "ours, live";

/** A key of our tenant that is limited to another organization: to it what is of the first one is as foreign as what is theirs. */
export const OTHER_ORGANIZATION = "ours, another organization's";

/** Whose requests a tenant's own log of requests contains. */
export const tenantOf = (name: string): string => (OWNERS.includes(name) || name === "read-only" ? "ours" : name);

/** Every kind of caller: keys of all sorts, and people who are signed in to the console. */
export async function callersOf(
  ours: ReturnType<typeof client>,
  stranger: string,
  live: string,
  limited: string,
  people: { admin: Person; leaver: Person },
): Promise<Callers> {
  const make = async (more: object) => (await ours.post("/v1/api-keys", { name: "Matrix", ...more })).body;
  const revoked = await make({});
  await ours.delete(`/v1/api-keys/${revoked.key_id}`);
  const expired = await make({ expires_at: new Date(Date.now() + 1_000).toISOString() });
  const isOver = async (key: string) => (await ours.get("/v1/me", { key })).status === 401;
  await until("the key has expired", () => isOver(expired.api_key));
  await until("the key is revoked", () => isOver(revoked.api_key));
  const { admin, leaver } = people;
  await leaver.ask("DELETE", "/v1/session");
  const key = (key: string) => ({ "x-api-key": key });
  const cookie = (person: Person) => ({
    cookie: person.cookie,
    origin: new URL(ours.url).origin,
    "x-csrf-token": person.session.csrf_token!,
  });
  return {
    ours: key(ours.key),
    "read-only": key((await make({ scopes: ["read"] })).api_key),
    [STRANGER]: key(stranger),
    [OTHER_MODE]: key(live),
    [OTHER_ORGANIZATION]: key(limited),
    "a person": cookie(admin),
    none: {},
    bad: key(`${ours.key.slice(0, -4)}abcd`),
    revoked: key(revoked.api_key),
    expired: key(expired.api_key),
    "signed out": cookie(leaver),
  };
}
