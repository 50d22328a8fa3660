import { type RedialConfig, redialConfig } from "#domain/calls/redial.ts";
import { callPace, onAnotherTrunk, outboundField, outboundNumbers } from "#domain/campaigns/outbound.ts";
import { failure, invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { callLine } from "#operations/carriers.ts";
import { type Context, lineFrom } from "#operations/context.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as edits from "#store/campaigns/edits.ts";
import type { Tx } from "#store/database/db.ts";

export type CallingChanges = {
  agent_outbound_number?: string | undefined;
  agent_outbound_numbers?: string[] | undefined;
  redial_enabled?: boolean | undefined;
  redial_config?: Partial<RedialConfig> | undefined;
  max_concurrent_calls?: number | undefined;
  calls_per_second?: number | undefined;
};

type Campaign = { id: Uuid; carrier: string };

/**
 * Changes what a campaign's lane calls from, and how fast. A callback comes from the number that the contact knows. Returns the default number,
 * undefined where nothing of the lane was to change. 400 for a number that may not be called from, or that is a recipient's.
 */
export async function editLane(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  { id, carrier }: Campaign,
  given: CallingChanges,
): Promise<string | undefined> {
  const { agent_outbound_number, agent_outbound_numbers, max_concurrent_calls, calls_per_second } = given;
  if ([agent_outbound_number, agent_outbound_numbers, max_concurrent_calls, calls_per_second].every(isAbsent)) {
    return undefined;
  }
  const mode = carrier === "simulator" ? "test" : "live";
  const line = await callLine(ctx, tx, { tenantId, mode }, carrier);
  if (!line) throw failure("voice_not_enabled", "The campaign's carrier of voice is no longer configured");
  const lane = (await dialLanes.lock(tx, tenantId, id))!;
  // By the locked lane, not by what was read before: another change may have come between.
  const sender = lane.numbers[0]!;
  const numbers = outboundNumbers({
    agent_outbound_number: agent_outbound_number ?? sender,
    agent_outbound_numbers: agent_outbound_numbers ?? lane.numbers.filter((number) => number !== sender),
  });
  for (const number of numbers) {
    if (lane.numbers.includes(number)) continue;
    const field = outboundField(numbers, number);
    const own = await lineFrom(ctx, { tenantId, mode }, number, field, number);
    if (own.name !== carrier) throw onAnotherTrunk(field, number, "the campaign's numbers");
  }
  const own = await edits.recipientAmong(tx, tenantId, id, numbers);
  if (own !== undefined) {
    throw invalidField(outboundField(numbers, own), `must not have ${own}, which is a recipient's`);
  }
  const wanted = {
    calls_per_second: calls_per_second ?? lane.per_second,
    max_concurrent_calls: max_concurrent_calls ?? lane.concurrency,
  };
  const { perSecond, concurrency } = callPace(wanted, line.capabilities, numbers);
  await dialLanes.change(tx, tenantId, id, { numbers, per_second: perSecond, concurrency });
  return numbers[0]!;
}

const isAbsent = (value: unknown): boolean => value === undefined;

/** The redial settings after a change; undefined: nobody is called twice. 400 for settings of redials that are off. */
export function editedRedial(old: RedialConfig | undefined, given: CallingChanges): RedialConfig | undefined {
  const { redial_enabled = old !== undefined, redial_config } = given;
  if (redial_enabled) return redialConfig({ ...old, ...redial_config });
  if (redial_config !== undefined) throw invalidField("redial_config", "needs redial_enabled true: redials are off");
  return undefined;
}

/** Withdraws the redials that wait and that the new settings do not allow; how many attempts each contact has now. */
export async function withdrawRedials(
  ctx: Pick<Context, "newId">,
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  { redial, now }: { redial: RedialConfig | undefined; now: Date },
): Promise<void> {
  const mostAttempts = redial?.max_attempts ?? 1;
  await edits.withdrawRedials(tx, tenantId, campaignId, { mostAttempts, now, changeId: ctx.newId() });
}
