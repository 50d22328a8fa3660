import { type Header, header, lists, type SipMessage, type SipRequest } from "#adapters/sip-messages/message.ts";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { Transfer } from "./call.ts";

/** The key that an INFO reports: `Signal=5` of application/dtmf-relay, or application/dtmf's bare one. */
export function digitOf(request: SipRequest): string | undefined {
  const type = header(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = request.body.toString("latin1", 0, 200);
  const [, digit] =
    (type === "application/dtmf-relay"
      ? /^[ \t]*signal[ \t]*=[ \t]*([0-9*#a-d])[ \t]*$/im.exec(text)
      : type === "application/dtmf"
        ? /^\s*([0-9*#a-d])\s*$/i.exec(text)
        : null) ?? [];
  return digit?.toUpperCase();
}

/** How keys go to the other side: by INFO where the trunk says so, or where it knows no events and has said in `said` that it takes INFO. */
export function withKeys(remote: RemoteMedia, trunk: Trunk, said: SipMessage): RemoteMedia {
  const isLeft =
    (trunk.dtmf ?? "auto") === "auto" && remote.dtmfPayloadType === undefined && lists(said, "allow", "INFO");
  return trunk.dtmf === "info" || isLeft ? { ...remote, dtmfByInfo: true } : remote;
}

/** How long a key is said to be pressed, milliseconds. */
const PRESSED_MS = 160;

/** The INFO of one key. */
export const keyInfo = (digit: string): { headers: readonly Header[]; body: string } => ({
  headers: [["content-type", "application/dtmf-relay"]],
  body: `Signal=${digit}\r\nDuration=${PRESSED_MS}\r\n`,
});

/** What a NOTIFY says of a transfer (RFC 3515, 2.4.5): the first line of what the other side heard. Undefined for other events. */
export function transferOf(request: SipRequest): Transfer | undefined {
  if (!/^refer\b/i.test(header(request, "event") ?? "")) return undefined;
  const [, status] = /^SIP\/2\.0 (\d{3})\b/.exec(request.body.toString("latin1", 0, 200)) ?? [];
  const isOver = /^terminated\b/i.test(header(request, "subscription-state") ?? "");
  // A subscription that ends without a status reports nothing.
  const known = status === undefined ? (isOver ? 408 : 100) : Number(status);
  return { status: known, isFinal: isOver || known >= 200 };
}
