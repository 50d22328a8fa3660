import type { Static } from "typebox";
import * as contract from "#contract/accounts/factors.ts";
import { CODES } from "#domain/accounts/guess.ts";
import { passkeySite } from "#domain/accounts/passkey-site.ts";
import { invalidField } from "#domain/values/errors.ts";
import { publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { resetFactors } from "#operations/accounts/change-user.ts";
import { type Caller, personOf } from "#operations/context.ts";
import {
  addPasskey,
  beginApp,
  confirmApp,
  listFactors,
  passkeyOptions,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
} from "#operations/sign-in/change-factors.ts";
import { type Proof, proofOptions, prove, signInByPasskey, signInOptions } from "#operations/sign-in/prove.ts";
import { getSignInPolicy, setSignInPolicy } from "#operations/sign-in/sign-in-policy.ts";
import type { PasskeyAnswer, PasskeySite } from "#ports/sign-in.ts";
import { signedIn } from "./session-view.ts";

export function factorRoutes(edge: Edge): void {
  const { logins } = edge;
  /** Of the pages that people open: the address for carriers may be another. */
  const siteOf = (origin: string): PasskeySite => passkeySite(edge.linkUrl, origin);
  /** Codes are short: their tries are an account's, wherever they come from. */
  const guessedBy = (caller: Caller, { address }: { address: string }) => ({
    account: `factor ${caller.accountId} ${personOf(caller).userId}`,
    address,
    limit: CODES,
  });

  route(edge, contract.proveSession, async ({ ctx, caller, body, origin, cookie, device, from }) => {
    const proof = proofOf(body, siteOf(origin));
    const token = await logins.attempt(guessedBy(caller, from), () => prove(ctx, caller, proof));
    return signedIn(edge, { cookie, device }, token);
  });

  route(edge, contract.createProofOptions, async ({ ctx, caller, origin }) => ({
    options: await proofOptions(ctx, caller, siteOf(origin)),
  }));

  route(edge, contract.createSignInOptions, async ({ ctx, origin }) => ({
    options: await signInOptions(ctx, siteOf(origin)),
  }));

  route(edge, contract.signInByPasskey, async ({ ctx, body, origin, cookie, device, from }) => {
    const answer = answerOf(body.passkey);
    const { address } = from;
    const enter = () => signInByPasskey(ctx, { answer, site: siteOf(origin) }, from);
    return signedIn(edge, { cookie, device }, await logins.attempt({ address }, enter));
  });

  route(edge, contract.listFactors, async ({ ctx, caller }) => {
    const { factors, codesLeft, isRequired, proofUntil } = await listFactors(ctx, caller);
    return {
      factors: factors.map(factorView),
      recovery_codes_left: codesLeft,
      is_required: isRequired,
      proof_until: proofUntil?.toISOString() ?? null,
    };
  });

  route(edge, contract.createAppFactor, async ({ ctx, caller, body }) => {
    const { id, secret, uri, qrSvg } = await beginApp(ctx, caller, body.name);
    return { factor_id: publicId("factor", id), secret, uri, qr_svg: qrSvg };
  });

  route(edge, contract.confirmAppFactor, async ({ ctx, caller, params, body, cookie, device, from }) => {
    const id = factorId(params.factor_id);
    const confirm = () => confirmApp(ctx, caller, id, body.code);
    const { token, factor, codes } = await logins.attempt(guessedBy(caller, from), confirm);
    const { session } = await signedIn(edge, { cookie, device }, token);
    return { session, factor: factorView(factor), recovery_codes: codes ?? null };
  });

  route(edge, contract.createPasskeyOptions, async ({ ctx, caller, origin }) => ({
    options: await passkeyOptions(ctx, caller, siteOf(origin)),
  }));

  route(edge, contract.createPasskeyFactor, async ({ ctx, caller, body, origin, cookie, device }) => {
    const { credential, client_data, attestation, transports = [] } = body.passkey;
    const made = { id: credential, clientData: client_data, attestation, transports };
    const given = { name: body.name, made, site: siteOf(origin) };
    const { token, factor, codes } = await addPasskey(ctx, caller, given);
    const { session } = await signedIn(edge, { cookie, device }, token);
    return { session, factor: factorView(factor), recovery_codes: codes ?? null };
  });

  route(edge, contract.updateFactor, async ({ ctx, caller, params, body }) => ({
    factor: factorView(await renameFactor(ctx, caller, factorId(params.factor_id), body.name)),
  }));

  route(edge, contract.deleteFactor, async ({ ctx, caller, params }) => ({
    factor_id: params.factor_id,
    ended_sessions: await removeFactor(ctx, caller, factorId(params.factor_id)),
  }));

  route(edge, contract.createRecoveryCodes, async ({ ctx, caller }) => ({
    recovery_codes: await renewRecoveryCodes(ctx, caller),
  }));

  route(edge, contract.resetUserFactors, async ({ ctx, caller, params }) => ({
    user_id: params.user_id,
    removed_factors: await resetFactors(ctx, caller, requireId("user", params.user_id, "User")),
  }));

  route(edge, contract.getSignInPolicy, async ({ ctx, caller }) => policyView(await getSignInPolicy(ctx, caller)));

  route(edge, contract.setSignInPolicy, async ({ ctx, caller, body }) => {
    const organizationIds = body.organization_ids.map((id) => requireId("organization", id, "Organization"));
    const wanted = { factorRequired: body.factor_required, organizationIds };
    return policyView(await setSignInPolicy(ctx, caller, wanted));
  });
}

const factorId = (text: string): Uuid => requireId("factor", text, "Factor");

/** The one thing that was shown; 400 for none, or for several. */
function proofOf(body: Static<NonNullable<typeof contract.proveSession.body>>, site: PasskeySite): Proof {
  const { code, recovery_code, passkey, password } = body;
  const given: Proof[] = [
    ...(code === undefined ? [] : [{ kind: "code", text: code.replace(/\s/g, "") } as const]),
    ...(recovery_code === undefined ? [] : [{ kind: "recovery_code", text: recovery_code } as const]),
    ...(passkey === undefined ? [] : [{ kind: "passkey", answer: answerOf(passkey), site } as const]),
    ...(password === undefined ? [] : [{ kind: "password", text: password } as const]),
  ];
  if (given.length !== 1) throw invalidField("body", "must have one of code, recovery_code, passkey and password");
  return given[0]!;
}

type Signature = Static<NonNullable<typeof contract.signInByPasskey.body>>["passkey"];

const answerOf = (signature: Signature): PasskeyAnswer => ({
  id: signature.credential,
  clientData: signature.client_data,
  authenticatorData: signature.authenticator_data,
  signature: signature.signature,
  userHandle: signature.user_handle,
});

type Row = {
  id: string;
  kind: "totp" | "passkey";
  name: string;
  created_at: Date;
  last_used_at: Date | null;
};

const factorView = ({ id, kind, name, created_at, last_used_at }: Row) => ({
  factor_id: publicId("factor", id),
  kind,
  name,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});

const policyView = (policy: { factor_required: boolean; organization_ids: readonly string[] }) => ({
  factor_required: policy.factor_required,
  organization_ids: policy.organization_ids.map((id) => publicId("organization", id)),
});
