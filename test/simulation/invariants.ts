import { createCallingWindows } from "#domain/compliance/calling-window.ts";
import { MESSAGE_RANK, type MessageState, type RecipientState } from "#domain/messaging/message.ts";
import { placeOf } from "#domain/phones/place.ts";
import { callingPolicy } from "#domain/sending/text-decision.ts";
import type { Uuid } from "#domain/values/id.ts";
import { AT_REST } from "#test/support/time/at-rest.ts";
import { ANSWER } from "./outside.ts";
import type { World } from "./world.ts";

const TEXTS = `
  select message.id, message.phone, message.kind, message.step, message.state, message.text, message.carrier_id, message.direction,
    message.rule, message.created_at, message.updated_at,
    campaign.campaign_id as campaign, campaign.begin_at, campaign.end_at, attempt.ref, attempt.state as attempt, attempt.at
  from messages message
  left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = message.campaign_id
  left join attempts attempt on attempt.tenant_id = $1 and attempt.message_id = message.id
  where message.tenant_id = $1 order by message.id, attempt.ref`;

const RECIPIENTS = `
  select thread.phone, thread.state, campaign.campaign_id as campaign from threads thread
  join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
  where thread.tenant_id = $1 order by thread.id`;

const CONSENTS = "select phone, opted_out_at is not null as is_out from consents where tenant_id = $1 order by phone";
const CHANGES =
  "select phone || case when is_out then ' out' else ' in' end as change from simulated.opt_outs order by n";
const INBOUND = "select carrier_id, outcome from inbound_texts where tenant_id = $1";

type Text = {
  id: Uuid;
  phone: string;
  kind: string;
  step: number;
  state: MessageState;
  text: string | null;
  carrier_id: string | null;
  direction: "outbound" | "inbound";
  rule: string | null;
  created_at: Date;
  updated_at: Date;
  campaign: string | null;
  begin_at: Date | null;
  end_at: Date | null;
  ref: Uuid | null;
  attempt: string | null;
  at: Date | null;
};

type Recipient = { phone: string; state: RecipientState; campaign: string };

/** The outcome of a text to a number that no campaign has used. */
const NOBODYS = "unknown_number";

const windows = createCallingWindows();

/** Checks everything that a run has left behind, and reports to the witness what is wrong with it. */
export async function checkInvariants(world: World): Promise<void> {
  const { backends, tenantId } = world.base;
  const found = await backends.look<{ problem: string }>("check-tables", AT_REST, [tenantId, world.wallClock()]);
  for (const { problem } of found) world.witness.problem(problem);
  const texts = await backends.look<Text>("check-texts", TEXTS, [tenantId]);
  const outbound = texts.filter(({ direction }) => direction === "outbound");
  checkRecords(world, outbound);
  checkReceipts(world, outbound);
  checkMoments(world, outbound);
  checkAnswers(world, outbound);
  checkCauses(world, outbound);
  checkRecipients(world, outbound, await backends.look<Recipient>("check-recipients", RECIPIENTS, [tenantId]));
  // In the order of each phone, whose row is locked by one at a time.
  const byPhone = (changes: readonly string[]) =>
    changes.toSorted((a, b) => (phoneOf(a) < phoneOf(b) ? -1 : phoneOf(a) > phoneOf(b) ? 1 : 0));
  const changes = await backends.look<{ change: string }>("check-changes", CHANGES);
  if (byPhone(changes.map(({ change }) => change)).join() !== byPhone(world.witness.changes).join())
    world.witness.problem("the witness has not seen every opt-out and START");
  const stored = await backends.look<{ carrier_id: string; outcome: string }>("check-inbound", INBOUND, [tenantId]);
  const outcomes = new Map(stored.map((row) => [row.carrier_id, row.outcome]));
  checkInbound(world, texts, outcomes);
  checkConsents(world, await backends.look("check-consents", CONSENTS, [tenantId]), outcomes);
}

const phoneOf = (change: string): string => change.split(" ")[0]!;

/** The carrier's book beside ours: each message at most once, and no text of which only one of the two knows. */
function checkRecords({ witness, carrier, plan }: World, outbound: readonly Text[]): void {
  const byRef = new Map(outbound.filter(({ ref }) => ref !== null).map((text) => [text.ref, text]));
  const taken = new Map<Uuid, number>();
  for (const { ref, to, purpose, step } of carrier.storeEnd) {
    const ours = byRef.get(ref);
    if (!ours) {
      witness.problem(`the carrier took a ${purpose} to ${to} of which we know nothing`);
      continue;
    }
    taken.set(ours.id, (taken.get(ours.id) ?? 0) + 1);
    // Who cannot look up may have to leave a doubt to a person.
    const isKnown = ours.attempt === "accepted" || (plan.carrier !== "looks_up" && ours.attempt === "held");
    if (!isKnown) witness.problem(`the carrier took a ${purpose} ${step} to ${to}, its attempt is ${ours.attempt}`);
  }
  for (const [id, times] of taken) {
    const { kind, step, phone } = outbound.find((text) => text.id === id)!;
    if (times > 1) witness.problem(`a ${kind} ${step} to ${phone} was taken ${times} times`);
  }
  const intents = Map.groupBy(
    carrier.storeEnd.filter(({ campaign }) => campaign !== ""),
    ({ campaign, to, step }) => `step ${step} of ${campaign} to ${to}`,
  );
  for (const [intent, texts] of intents)
    if (texts.length > 1) witness.problem(`${intent} was taken ${texts.length} times`);
  const isTaken = new Set(carrier.storeEnd.map(({ ref }) => ref));
  for (const { ref, attempt, kind, phone, state } of outbound) {
    if (attempt === "accepted" && !isTaken.has(ref!))
      witness.problem(`a ${kind} to ${phone} is accepted and never was`);
    if (state === "unknown" && plan.carrier === "looks_up") witness.problem(`a ${kind} to ${phone} stays unknown`);
  }
}

/** A message stands at least as high as the highest receipt that was taken in for it, and is nothing that nobody said. */
function checkReceipts({ witness, carrier }: World, outbound: readonly Text[]): void {
  const byRef = new Map(outbound.map((text) => [text.ref, text]));
  for (const { ref, attempt, state, kind, phone } of outbound) {
    const isSaid =
      state === "accepted" || carrier.reported.some((receipt) => receipt.ref === ref && receipt.status === state);
    if (attempt === "accepted" && !isSaid) witness.problem(`a ${kind} to ${phone} was accepted and is ${state}`);
  }
  for (const { ref, status } of witness.receipts) {
    const ours = byRef.get(ref);
    if (ours && MESSAGE_RANK[ours.state] < MESSAGE_RANK[status])
      witness.problem(`a ${ours.kind} to ${ours.phone} is ${ours.state} after the receipt ${status}`);
  }
}

/** Each attempt was decided at a moment that the law, the campaign and the drip's day allow. */
function checkMoments({ witness, base, plan }: World, outbound: readonly Text[]): void {
  for (const { kind, step, phone, campaign, at, begin_at, end_at } of outbound) {
    if (at === null || (kind !== "start" && kind !== "drip")) continue;
    const place = placeOf({ phone, fields: {} }, base.shared.numberPlan);
    const isOpen = windows(at, place, callingPolicy(base.shared.profile, {})).open;
    if (!isOpen) witness.problem(`a ${kind} to ${phone} at ${at.toISOString()}, outside its window`);
    if ((begin_at && at < begin_at) || (end_at && at >= end_at))
      witness.problem(`a ${kind} to ${phone} at ${at.toISOString()}, outside its campaign`);
    if (kind !== "drip") continue;
    const began = outbound.filter(
      (text) => text.phone === phone && text.campaign === campaign && text.kind === "start" && text.at !== null,
    );
    // Who writes has been reached, even if the starting message comes later.
    const wrote = witness.inbound.filter((message) => message.phone === phone);
    const first = Math.min(
      ...began.map((text) => text.at!.getTime()),
      ...wrote.map((message) => message.sentAt.getTime()),
    );
    const isEarly = at.getTime() < first + plan.drips[step - 1]! * DAY_MS - SAME_MOMENT_MS;
    if (isEarly) witness.problem(`drip ${step} to ${phone} before its day`);
  }
}

/** Texts of one moment are distinguished by milliseconds. */
const SAME_MOMENT_MS = 100;
const DAY_MS = 86_400_000;

/** 47 CFR 64.1200(a)(12): a confirmation that could not leave by then does not leave. */
const CONFIRM_WITHIN_MS = 300_000;

/** What did not leave, or did not arrive, has a cause that this run has given it: a service that sends nothing at all keeps no promise. */
function checkCauses({ witness, carrier }: World, outbound: readonly Text[]): void {
  const isLast = (state: MessageState) => state === "suppressed" || state === "expired" || state === "failed";
  const hasCause = (text: Text): boolean => {
    const start = () =>
      outbound.find(
        ({ kind, phone, campaign }) => kind === "start" && phone === text.phone && campaign === text.campaign,
      );
    // One row for each attempt at it.
    const refused = ({ id, ref, attempt }: Text) =>
      id === text.id &&
      (attempt === "rejected" ||
        carrier.reported.some((receipt) => receipt.ref === ref && receipt.status === "failed"));
    if (text.state === "failed") return outbound.some(refused);
    switch (text.rule) {
      case "opted_out":
      case "do_not_message":
        return witness.everOut.has(text.phone);
      case "campaign_deleted":
        return witness.doomed.has(text.campaign!);
      case "campaign_ended":
        return text.end_at !== null && text.updated_at >= text.end_at;
      case "confirmation_too_late":
        return text.updated_at.getTime() - text.created_at.getTime() > CONFIRM_WITHIN_MS;
      // Its own cause is looked for with the starting message's.
      case "starting_message_not_sent":
      case "starting_message_failed":
        return start() !== undefined && (isLast(start()!.state) || start()!.state === "undelivered");
      default:
        return false;
    }
  };
  for (const text of outbound)
    if (isLast(text.state) && !hasCause(text))
      witness.problem(
        `a ${text.kind} ${text.step} to ${text.phone} is ${text.state} by ${text.rule}, and nothing in this run is the cause`,
      );
}

/** What its starting message must have become for a recipient to be in a state that nothing leads out of. */
const BECAUSE_OF: Partial<Record<RecipientState, readonly MessageState[]>> = {
  failed: ["failed", "undelivered"],
  skipped: ["suppressed"],
  expired: ["expired"],
  sent: ["accepted", "sent"],
  delivered: ["delivered"],
  unknown: ["unknown"],
};

/** Each recipient stands where its starting message and its own words have brought it. */
function checkRecipients({ witness }: World, outbound: readonly Text[], recipients: readonly Recipient[]): void {
  for (const { phone, campaign, state } of recipients) {
    const problem = (why: string) => witness.problem(`recipient ${phone} of ${campaign} is ${state}, ${why}`);
    const start = outbound.find((text) => text.kind === "start" && text.phone === phone && text.campaign === campaign);
    const because = BECAUSE_OF[state];
    if (because && !because.includes(start!.state)) problem(`its starting message ${start!.state}`);
    if (state === "replied" && !witness.inbound.some((message) => message.phone === phone)) problem("and never wrote");
    if (state === "opted_out" && !witness.everOut.has(phone)) problem("and never opted out");
    if (state === "completed") problem("and no agent here completes anything");
  }
}

/** No text of a contact is answered twice, no opt-out confirmed more often than it was asked for. */
function checkAnswers({ witness, carrier }: World, outbound: readonly Text[]): void {
  // What an agent says when its model is away names no question.
  const isAnswer = ({ kind, text }: Text) => kind === "reply" && text!.startsWith(ANSWER);
  const replies = new Map(outbound.filter(isAnswer).map((text) => [text.id, text.text]));
  const answered = Map.groupBy(replies.values(), (text) => text);
  for (const [text, all] of answered) if (all.length > 1) witness.problem(`"${text}" was answered ${all.length} times`);
  for (const purpose of ["confirmation", "help"] as const) {
    const sent = Map.groupBy(
      carrier.storeEnd.filter((text) => text.purpose === purpose),
      ({ to }) => to,
    );
    const asked = (phone: string) =>
      witness.inbound.filter(
        (message) =>
          message.phone === phone && message.word !== "chat" && (message.word === "help") === (purpose === "help"),
      );
    for (const [phone, all] of sent)
      if (all.length > asked(phone).length)
        witness.problem(`${phone} got ${all.length} of ${purpose} and asked less often`);
  }
}

/** What was acknowledged is stored once. Before its first campaign a number is nobody's: then it stays outside of all. */
function checkInbound({ witness }: World, texts: readonly Text[], outcomes: ReadonlyMap<string, string>): void {
  const kept = Map.groupBy(
    texts.filter(({ direction }) => direction === "inbound"),
    ({ carrier_id }) => carrier_id,
  );
  for (const { carrierId, phone, word } of witness.inbound) {
    const outcome = outcomes.get(carrierId);
    if (outcome === undefined) witness.problem(`${word} of ${phone} was acknowledged and is not stored`);
    const times = kept.get(carrierId)?.length ?? 0;
    if (times !== (outcome === NOBODYS ? 0 : 1))
      witness.problem(`${word} of ${phone} is ${times} times in its conversation`);
  }
}

/** A phone's last word counts, by when it was said and not by when it came. */
function checkConsents(
  { witness }: World,
  consents: readonly { phone: string; is_out: boolean }[],
  outcomes: ReadonlyMap<string, string>,
): void {
  const isOut = new Map(consents.map((consent) => [consent.phone, consent.is_out]));
  for (const phone of new Set([...isOut.keys(), ...witness.inbound.map((message) => message.phone)])) {
    // Nobody has said anything about a phone without a row.
    const is_out = isOut.get(phone) ?? false;
    if (is_out !== witness.optedOut.has(phone)) witness.problem(`the witness does not see what becomes of ${phone}`);
    // A STOP counts to whatever number it is said; a START only where texts come from.
    const words = witness.inbound.filter(
      (message) =>
        message.phone === phone &&
        (message.word === "stop" ||
          message.word === "please" ||
          (message.word === "start" && outcomes.get(message.carrierId) !== NOBODYS)),
    );
    const [last] = words.toSorted((a, b) => b.sentAt.getTime() - a.sentAt.getTime());
    if (!last || witness.optedOutByOthers.has(phone)) continue;
    if (is_out !== (last.word !== "start"))
      witness.problem(`${phone} said ${last.word} last and is ${is_out ? "out" : "in"}`);
  }
}
