import { type Header, header, headerList, type SipRequest } from "#adapters/sip-messages/message.ts";
import { parseNameAddr } from "#adapters/sip-messages/name-addr.ts";
import { quote } from "#adapters/sip-messages/syntax.ts";
import { escapeUser, hostOf } from "#adapters/sip-messages/uri.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { type Attestation, attestationOf } from "#domain/calls/attestation.ts";

/** A number or name as the trunk wants it in a URI. */
export const userToward = (trunk: Pick<Trunk, "numberFormat">, user: string): string =>
  escapeUser(trunk.numberFormat === "digits" && /^\+\d+$/.test(user) ? user.slice(1) : user);

/** What an INVITE of ours says about who calls: From, without a tag, and the header that the trunk wants besides. Diversion is never sent. */
export function callerHeaders(
  trunk: Trunk,
  from: string,
  displayName: string | undefined,
): { from: string; more: Header[] } {
  const domain = hostOf(trunk.fromDomain ?? trunk.host);
  const name = displayName === undefined ? "" : `${quote(displayName)} `;
  const number = `${name}<sip:${userToward(trunk, from)}@${domain}>`;
  const { fromUser, header } = trunk.identity ?? {};
  return {
    from: fromUser === undefined ? number : `${name}<sip:${escapeUser(fromUser)}@${domain}>`,
    more: header === undefined ? [] : [[header, number]],
  };
}

/** A PASSporT is some 500 characters; one that is longer than this is not looked into. */
const MAX_IDENTITY_CHARS = 4_000;

/**
 * What a call's headers say about the right of the caller to its number: the carrier's verdict where it gives one, or the level that the signature
 * claims, which we do not check. Undefined where nothing is said.
 */
export function attestationIn(request: SipRequest): Attestation | undefined {
  const callers = ["p-asserted-identity", "from"].flatMap((name) => headerList(request, name));
  return attestationOf({
    verstat: callers.map(verstatOf).find((verdict) => verdict !== undefined) ?? header(request, "x-twilio-verstat"),
    indicator: header(request, "p-attestation-indicator") ?? header(request, "p-attestation-info"),
    identity: attestIn(header(request, "identity")),
  });
}

/** `verstat` is a parameter of the number (`sip:+12125550100;verstat=...@host`, `tel:...;verstat=...`), of the URI, or of the header. */
function verstatOf(value: string): string | undefined {
  const address = parseNameAddr(value);
  if (!address) return undefined;
  const { parsed } = address;
  const within = parsed?.user.split(";").find((part) => part.toLowerCase().startsWith("verstat="));
  return within?.slice("verstat=".length) ?? parsed?.params.get("verstat") ?? address.params.get("verstat");
}

/** The level in a signed PASSporT (RFC 8225, RFC 8588): `attest` of its payload. */
function attestIn(value: string | undefined): string | undefined {
  const [, payload] = (value ?? "").slice(0, MAX_IDENTITY_CHARS).split(";")[0]!.split(".");
  if (!payload) return undefined;
  try {
    const { attest } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { attest?: unknown };
    return typeof attest === "string" ? attest : undefined;
  } catch {
    return undefined;
  }
}
