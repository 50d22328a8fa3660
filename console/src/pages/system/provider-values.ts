import type { Args } from "#api/operations.ts";
import type { IdentityProvider } from "./provider-card.tsx";

type Body = Args<"POST /v1/identity-providers">["body"];

/** As the form has what the API has as null. */
export const NOBODY = "nobody";

/** What the form holds of a provider: an empty text is one that is left out. */
export type ProviderValues = Required<
  Pick<Body, "name" | "issuer" | "client_id" | "email_domains" | "organization_ids" | "creates_users" | "group_roles">
> &
  Required<Pick<Body, "factor_trusted" | "emails_trusted">> & {
    client_secret: string;
    groups_claim: string;
    permission: NonNullable<Body["permission"]> | typeof NOBODY;
    password_refused: boolean;
  };

/** Of a new provider, or of one that is changed. */
export const valuesOf = (provider: IdentityProvider | undefined): ProviderValues => ({
  name: provider?.name ?? "",
  issuer: provider?.issuer ?? "",
  client_id: provider?.client_id ?? "",
  client_secret: "",
  email_domains: provider?.email_domains ?? [],
  permission: provider === undefined ? "viewer" : (provider.permission ?? NOBODY),
  organization_ids: provider?.organization_ids ?? [],
  creates_users: provider?.creates_users ?? true,
  groups_claim: provider?.groups_claim ?? "",
  group_roles: provider?.group_roles ?? [],
  factor_trusted: provider?.factor_trusted ?? false,
  emails_trusted: provider?.emails_trusted ?? false,
  password_refused: provider?.password_allowed === false,
});

/** What is sent: without a new secret the one of before stays. */
export function bodyOf(values: ProviderValues, provider: IdentityProvider | undefined): Body {
  const { client_secret, groups_claim, permission, password_refused, ...rest } = values;
  const claim = groups_claim.trim();
  return {
    ...rest,
    ...(provider ? { scopes: provider.scopes } : {}),
    ...(client_secret === "" ? {} : { client_secret }),
    groups_claim: claim === "" ? null : claim,
    group_roles: claim === "" ? [] : rest.group_roles,
    permission: permission === NOBODY ? null : permission,
    password_allowed: !password_refused,
  };
}
