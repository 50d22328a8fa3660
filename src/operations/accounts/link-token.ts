import { timingSafeEqual } from "node:crypto";
import { failure } from "#domain/values/errors.ts";
import { base32, NO_ID, parseId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";

/** How long a link is valid: long enough to begin playing, too short to be worth passing on. */
const LINK_MS = 5 * 60_000;

/** What a link opens, each with its public id. */
export type Linked = { what: "recording" | "media"; id: string };

/** A token that opens one thing of a tenant's without an API key until it expires: for a `recording_url`, or the `url` of media. */
export function linkToken(ctx: Context, tenantId: Uuid, linked: Linked, endsAt = linkEnd(ctx)): string {
  const until = endsAt.getTime().toString(36);
  return `${until}.${base32(tenantId)}.${signatureOf(ctx, until, tenantId, linked).toString("base64url")}`;
}

const linkEnd = (ctx: Context): Date => new Date(ctx.now().getTime() + LINK_MS);

/** The caller that such a token stands for: it may read, of the one thing. Fails with `link_invalid` for a wrong or an expired one. */
export function callerOfToken(ctx: Context, linked: Linked, token: string): Caller {
  const [until = "", tenant = "", signature = ""] = token.split(".");
  const tenantId = parseId("tenant", `tnt_${tenant}`);
  const right = signatureOf(ctx, until, tenantId ?? NO_ID, linked);
  const given = Buffer.from(signature, "base64url");
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  if (!isRight || tenantId === undefined || Number.parseInt(until, 36) <= ctx.now().getTime()) {
    throw failure("link_invalid", "This link is not valid, or its time is over: ask again for what has it");
  }
  const who = { tenantId, accountId: tenantId, keyId: tenantId, mode: "live" as const, scopes: ["read"] };
  return { ...who, organizations: undefined, newId: ctx.newId };
}

const signatureOf = (ctx: Context, until: string, tenantId: Uuid, { what, id }: Linked): Buffer =>
  ctx.signLink(`${what} ${tenantId} ${id} ${until}`);
