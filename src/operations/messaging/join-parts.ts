import { createHash } from "node:crypto";
import type { Uuid } from "#domain/values/id.ts";
import { storable } from "#domain/values/storable.ts";
import type { Context } from "#operations/context.ts";
import type { InboundPart } from "#ports/carrier-session.ts";
import * as inboundParts from "#store/messaging/inbound-parts.ts";
import { receiveMessage } from "./receive-message.ts";

/** A text whose parts have not all come by then is taken in as what there is: a STOP in it is not to wait for longer. */
const JOIN_WITHIN_MS = 60_000;
/** Parts that were taken in may be delivered again for this long. */
const COMES_AGAIN_WITHIN_MS = 600_000;

type Whole = inboundParts.Whole;

/** Keeps one part of a longer text; with the last of them the text is taken in. Safe to repeat. */
export async function receivePart(ctx: Context, tenantId: Uuid, part: InboundPart): Promise<void> {
  const { carrier, from: sender, to: recipient, reference, of: parts, number, text, sentAt } = part;
  const whole = { carrier, sender, recipient, reference, parts };
  await inboundParts.insert(ctx.db, tenantId, whole, {
    ...{ number, digest: digestOf(text), text: JSON.stringify(text) },
    ...{ sent_at: sentAt, received_at: ctx.now() },
  });
  // By a statement of its own: of two parts that come at once, the later one sees both.
  const here = first(await inboundParts.open(ctx.db, tenantId, whole));
  if (here.length === parts) await takeIn(ctx, tenantId, whole, here);
}

/** Takes in the texts whose parts have not all come in time, and forgets those that have been taken in. */
export async function joinOverdueParts(ctx: Context): Promise<void> {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms);
  for (const { tenant_id, ...whole } of await inboundParts.overdue(ctx.db, ago(JOIN_WITHIN_MS))) {
    try {
      await takeIn(ctx, tenant_id, whole, first(await inboundParts.open(ctx.db, tenant_id, whole)));
    } catch (err) {
      ctx.log.warn({ err, carrier: whole.carrier }, "parts of a text could not be taken in");
    }
  }
  await inboundParts.forget(ctx.db, ago(COMES_AGAIN_WITHIN_MS));
}

/** The first of each number: another one is of the sender's next text. */
const first = (them: readonly inboundParts.KeptPart[]): inboundParts.KeptPart[] =>
  them.filter(({ number }, i) => number !== them[i - 1]?.number);

async function takeIn(
  ctx: Context,
  tenantId: Uuid,
  whole: Whole,
  them: readonly inboundParts.KeptPart[],
): Promise<void> {
  const [any] = them;
  if (!any) return;
  const text = them
    // What is missing in between does not make one word of two.
    .map(({ number, text }, i) => (i > 0 && number !== them[i - 1]!.number + 1 ? " " : "") + String(JSON.parse(text)))
    .join("");
  const sentAt = new Date(Math.min(...them.map(({ sent_at }) => sent_at.getTime())));
  const begunAt = Math.min(...them.map(({ received_at }) => received_at.getTime()));
  const facts = [whole.sender, whole.recipient, whole.reference, whole.parts, ...them.map(({ digest }) => digest)];
  // The same again when it is taken in again: the parts are marked only afterwards.
  const carrierId = `parts:${digestOf(facts.join(" "))}:${begunAt.toString(36)}`;
  const { carrier, sender: from, recipient: to } = whole;
  // Halves of characters are whole by now, or nobody's.
  await receiveMessage(ctx, tenantId, { carrier, carrierId, from, to, text: storable(text), sentAt });
  await inboundParts.joined(ctx.db, tenantId, whole, them, ctx.now());
}

const digestOf = (text: string): string => createHash("sha256").update(text, "utf16le").digest("hex").slice(0, 32);
