import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Answer, Parley } from "#test/support/api/parley.ts";
import type { Authenticator } from "./authenticator.ts";
import { cookiesOf, type Person, through } from "./person.ts";

/** The code of an app, so many steps of half a minute from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** The same person in the session that an answer made of the one before. */
export function renewed(api: Pick<Parley, "request" | "url">, person: Person, answer: Answer): Person {
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [cookie] = cookiesOf(answer)[0]!.split(";");
  return through(api, { ...person, cookie: cookie!, session: answer.body.session });
}

/** Somebody with an app for codes: its secret, the recovery codes of a first factor, and the session from then on. The code of now is still unused. */
export async function withApp(
  api: Pick<Parley, "request" | "url">,
  person: Person,
): Promise<{ person: Person; secret: string; factorId: string; codes: string[] }> {
  const begun = await person.ask("POST", "/v1/factors/app", { name: "Phone" });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const { factor_id, secret } = begun.body;
  // The step before now, so that the code of now is still good for a sign-in. A step that ends meanwhile makes it the one before that, and too old.
  const confirm = () => person.ask("POST", `/v1/factors/${factor_id}/confirmation`, { code: codeOf(secret, -1) });
  const last = codeOf(secret);
  let answer = await confirm();
  if (answer.status === 401 && codeOf(secret) !== last) answer = await confirm();
  const codes = answer.body.recovery_codes;
  return { person: renewed(api, person, answer), secret, factorId: factor_id, codes };
}

/** Somebody with this passkey. */
export async function withPasskey(
  api: Pick<Parley, "request" | "url">,
  person: Person,
  passkey: Authenticator,
): Promise<{ person: Person; factorId: string; codes: string[] | null }> {
  const { body } = await person.ask("POST", "/v1/factors/passkey-options");
  const answer = await person.ask("POST", "/v1/factors/passkey", { name: "Key", passkey: passkey.make(body.options) });
  const { factor, recovery_codes } = answer.body;
  return { person: renewed(api, person, answer), factorId: factor?.factor_id, codes: recovery_codes };
}
