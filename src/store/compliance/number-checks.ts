import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** A query about a phone to the reassigned-numbers database, and the answer. */
export type NumberCheck = {
  phone: string;
  consent_at: Date;
  answer: "yes" | "no" | "no_data" | null;
  answered_at: Date | null;
};

const findChecks = statement(
  "find-number-checks",
  `select phone, consent_at, answer, answered_at from number_checks where tenant_id = $1 and phone = any($2::text[])`,
);

export function find(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<NumberCheck[]> {
  return tx.rows<NumberCheck>(findChecks, [tenantId, phones]);
}

const wantChecks = changing(
  "want-number-checks",
  `insert into number_checks (tenant_id, phone, consent_at, wanted_at)
   select $1, phone, consent_at, $4 from unnest($2::text[], $3::timestamptz[]) as it (phone, consent_at) order by phone
   on conflict (tenant_id, phone) do update set consent_at = excluded.consent_at, wanted_at = excluded.wanted_at, answer = null
   where number_checks.answer is not null or number_checks.consent_at <> excluded.consent_at`,
);

/** Notes numbers to be looked up; one that waits for its answer already goes on waiting. */
export async function want(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { phone: string; consentAt: Date }[],
  now: Date,
): Promise<void> {
  await tx.run(wantChecks, [tenantId, them.map((number) => number.phone), them.map((number) => number.consentAt), now]);
}

const openChecks = statement(
  "open-number-checks",
  `select phone, consent_at, answer, answered_at from number_checks where tenant_id = $1 and answer is null
   order by wanted_at limit $2`,
);

/** Those that wait for an answer, the longest first. */
export function open(tx: Tx, tenantId: Uuid, limit: number): Promise<NumberCheck[]> {
  return tx.rows<NumberCheck>(openChecks, [tenantId, limit]);
}

const saveAnswers = changing(
  "save-number-checks",
  `update number_checks check_ set answer = it.answer, answered_at = $5
   from unnest($2::text[], $3::timestamptz[], $4::text[]) as it (phone, consent_at, answer)
   where check_.tenant_id = $1 and check_.phone = it.phone and check_.consent_at = it.consent_at`,
);

const holdConsents = statement(
  "hold-consents-of-checks",
  "select from consents where tenant_id = $1 and phone = any($2::text[]) order by phone for no key update",
);

/**
 * Stores answers, each for the question that was asked: a consent that has come in meanwhile is looked up anew. Locks the consents first, as a claim
 * does: a claim that holds the lane would wait for the question, while the process that answers wakes texts and needs the lane.
 */
export async function answer(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { phone: string; consent_at: Date; answer: "yes" | "no" | "no_data" }[],
  now: Date,
): Promise<void> {
  const values = [
    them.map((number) => number.phone),
    them.map((number) => number.consent_at),
    them.map((number) => number.answer),
  ];
  await tx.run(holdConsents, [tenantId, values[0]]);
  await tx.run(saveAnswers, [tenantId, ...values, now]);
}

const waitingTenants = crossTenant(
  "tenants-with-open-number-checks",
  `select id from tenants where exists (select from number_checks where tenant_id = tenants.id and answer is null)
     and ($1::uuid is null or id = $1)`,
);

/** Tenants, or the one tenant, with questions that wait. */
export async function waiting(tx: Tx, tenantId: Uuid | null): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(waitingTenants, [tenantId])).map((tenant) => tenant.id);
}
