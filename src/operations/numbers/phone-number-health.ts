import { type AnswerRate, answerRate, judgedSince, sumOf } from "#domain/numbers/health.ts";
import type { PhoneNumber } from "#domain/numbers/phone-number.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as rests from "#store/numbers/rests.ts";

export type Health = Pick<AnswerRate, "placed" | "answered" | "rate" | "usual"> & {
  complaints: number;
  unwanted: number;
};

/** A number with what it is judged by. `health` is null where other organizations call from it too, for who is limited to some. */
export type HealthyNumber = PhoneNumber & { health: Health | null; rest: { until: Date; reason: string } | null };

/** How numbers fare as far as it decides whether they rest, and which rest. */
export async function withHealth(
  ctx: Pick<Context, "tenantDb" | "now">,
  { tenantId, organizations }: Pick<Caller, "tenantId" | "organizations">,
  numbers: readonly PhoneNumber[],
): Promise<HealthyNumber[]> {
  if (numbers.length === 0) return [];
  const db = ctx.tenantDb;
  const now = await tenants.tenantNow(db, tenantId, ctx.now());
  const phones = numbers.map(({ phone }) => phone);
  // In this order: a rest is never shown without the calls that it came of.
  const known = await rests.read(db, tenantId, phones);
  const sums = await rests.sums(db, tenantId, judgedSince(now), true);
  return numbers.map((number) => {
    const { placed, answered, rate, usual } = answerRate(number.phone, sums);
    const health = { placed, answered, rate, usual, ...sumOf(number.phone, sums) };
    const rest = known.get(number.phone);
    return {
      ...number,
      health: organizations !== undefined && number.organization_id === null ? null : health,
      rest:
        rest?.resting_until && rest.resting_until > now
          ? { until: rest.resting_until, reason: rest.reason ?? "asked" }
          : null,
    };
  });
}
