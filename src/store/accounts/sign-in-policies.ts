import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

/** Who of a tenant must have a second factor: everybody, or who works for one of these organizations. */
export type SignInPolicy = { factor_required: boolean; organization_ids: Uuid[] };

const findPolicy = statement(
  "find-sign-in-policy",
  "select factor_required, required_of as organization_ids from sign_in_policies where tenant_id = $1",
);

/** By the tenant's public id. */
export async function find(tx: Tx, accountId: Uuid): Promise<SignInPolicy> {
  const found = await tx.first<SignInPolicy>(findPolicy, [accountId]);
  return found ?? { factor_required: false, organization_ids: [] };
}

const putPolicy = changing(
  "put-sign-in-policy",
  `insert into sign_in_policies (tenant_id, factor_required, required_of, changed_at) values ($1, $2, $3, $4)
   on conflict (tenant_id) do update set factor_required = excluded.factor_required,
     required_of = excluded.required_of, changed_at = excluded.changed_at`,
);

export async function put(tx: Tx, accountId: Uuid, policy: SignInPolicy, at: Date): Promise<void> {
  await tx.run(putPolicy, [accountId, policy.factor_required, policy.organization_ids, at]);
}
