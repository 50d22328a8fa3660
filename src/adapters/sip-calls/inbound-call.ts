import { type Header, header, keptWords, lists, type SipRequest } from "#adapters/sip-messages/message.ts";
import {
  answerOffer,
  type LocalMedia,
  type RemoteMedia,
  readAnswer,
  writeOffer,
} from "#adapters/sip-messages/offer-answer.ts";
import { numberOf } from "#adapters/sip-messages/uri.ts";
import { token } from "#adapters/sip-transport/clock.ts";
import { calledIn } from "#adapters/sip-transport/gatekeeper.ts";
import type { Link } from "#adapters/sip-transport/link.ts";
import type { ServerTransaction } from "#adapters/sip-transport/transactions.ts";
import type { CallEnd, CallEvents, InboundCall } from "./call.ts";
import { attestationIn } from "./caller-identity.ts";
import { type Dialog, dialogOfRequest } from "./dialog.ts";
import { withKeys } from "./in-call.ts";
import { reasonOf } from "./outcome.ts";
import { untilPracked } from "./reliable-answer.ts";
import { ALLOW, createSession, type Session, SUPPORTED } from "./session.ts";
import { intervalForAnswer } from "./session-timer.ts";

/** `ended` when the call is over, `closed` when nothing of it can come any more. */
type Over = { ended(): void; closed(): void };

/**
 * A call to us. States: waiting (100 has been said, perhaps 180), answered (a `Session`; with `isHeard` once it may speak), ended, which
 * happens once, in `end`. The INVITE has been looked at before: it has a contact, and a body that is none or SDP.
 */
export function takeCall(link: Link, transaction: ServerTransaction, dialog: Dialog, over: Over): InboundCall {
  const { trunk, clock, random } = link;
  const { request } = transaction;
  const from = trunk.mediaAddresses ?? [];
  const description = { sessionId: String(random(4).readUInt32BE()), version: 1 };
  let on: CallEvents = { ended() {} };
  let session: Session | undefined;
  let hasEnded = false;
  let rseq = random(2).readUInt16BE() + 1;
  let reliable: { rseq: number; stop(): void } | undefined;
  let wasRung = false;

  const unenroll = link.enroll(request.callId, dialog.localTag, {
    request(later) {
      if (later.request.method === "PRACK" && session === undefined) pracked(later);
      else if (session) session.request(later);
      else early(later);
    },
    ack: (ack) => session?.ack(ack),
    waitsForAck: () => session?.waitsForAck() ?? false,
  });

  function end(why: CallEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    reliable?.stop();
    over.ended();
    on.ended(why);
  }

  function leave(): void {
    unenroll();
    over.closed();
  }

  /** Before the answer a caller gives up by CANCEL, some by BYE. */
  function early(later: ServerTransaction): void {
    const isBye = later.request.method === "BYE";
    const status = isBye || later.request.method === "OPTIONS" ? 200 : later.request.method === "UPDATE" ? 500 : 481;
    later.respond({ status, reason: reasonOf(status) });
    if (isBye) givenUp();
  }

  function givenUp(): void {
    refuse(487);
    end({ cause: "they_hung_up", status: 487, text: reasonOf(487), reason: "user_hangup", mayHaveArrived: true });
  }

  function pracked(prack: ServerTransaction): void {
    const isOurs = header(prack.request, "rack")?.startsWith(`${reliable?.rseq} ${request.cseq} `) ?? false;
    prack.respond({ status: isOurs ? 200 : 481, reason: reasonOf(isOurs ? 200 : 481) });
    if (!isOurs) return;
    dialog.remoteCseq = prack.request.cseq;
    reliable?.stop();
  }

  const say = (status: number, headers: readonly Header[], body?: string) =>
    transaction.respond({ status, reason: reasonOf(status), toTag: dialog.localTag, headers, body });

  function refuse(status: number, headers: readonly Header[] = []): void {
    if (hasEnded || session !== undefined) return;
    say(status, headers);
    leave();
  }

  function reject(status: number, retryAfterMs?: number): void {
    if (hasEnded || session !== undefined) return;
    refuse(status, retryAfterMs === undefined ? [] : [["retry-after", String(Math.ceil(retryAfterMs / 1_000))]]);
    end({ cause: "we_hung_up", status, text: reasonOf(status), reason: "agent_hangup", mayHaveArrived: true });
  }

  function ring(): void {
    if (hasEnded || session !== undefined || wasRung) return;
    wasRung = true;
    const contact: Header = ["contact", link.contact];
    // RFC 3262, 3: only where the caller insists; otherwise it would be a round trip for nothing.
    if (!lists(request, "require", "100rel")) return void say(180, [contact]);
    rseq++;
    say(180, [contact, ["require", "100rel"], ["rseq", String(rseq)]]);
    const stop = untilPracked(clock, transaction, () => reject(504));
    reliable = { rseq, stop };
  }

  function answer(local: LocalMedia): void {
    if (hasEnded || session !== undefined) return;
    reliable?.stop();
    const offer = request.body.toString();
    const describe = { ...description, direction: "sendrecv" } as const;
    const agreed = offer === "" ? undefined : link.permitted(answerOffer(offer, local, trunk.srtp, from, describe));
    if (agreed?.ok === false) {
      link.log("info", "an offer could not be answered", { callId: request.callId, why: agreed.why });
      reject(488);
      return;
    }
    const timing = intervalForAnswer(request);
    const made = createSession({
      link,
      dialog,
      local,
      srtp: agreed === undefined ? trunk.srtp : agreed.remote.srtp === undefined ? "off" : "required",
      description,
      made: request,
      isCaller: false,
      on: { ...eventsOf(), ended: end },
      closed: leave,
    });
    session = made;
    const headers: Header[] = [
      ["contact", link.contact],
      ["allow", ALLOW],
      ["supported", SUPPORTED],
      ...(timing?.headers ?? []),
      ["content-type", "application/sdp"],
    ];
    const body = agreed?.sdp ?? writeOffer(local, trunk.srtp, describe);
    made.answer(transaction, { status: 200, reason: "OK", toTag: dialog.localTag, headers, body }, (ack) => {
      if (agreed === undefined) answeredByAck(made, ack, local);
      else if (!hasEnded && remote?.reach === "heard") made.setRemote(link.reached(remote, true));
    });
    made.startTimer(timing);
    const remote = agreed && link.reached(agreed.remote, false);
    if (remote) begun(made, remote);
  }

  function answeredByAck(made: Session, ack: SipRequest, local: LocalMedia): void {
    const answered = link.permitted(readAnswer(ack.body.toString(), local, trunk.srtp, from));
    if (answered.ok) {
      begun(made, link.reached(answered.remote, true));
      return;
    }
    link.log("info", "the answer in an ACK could not be taken", { callId: request.callId, why: answered.why });
    made.hangup();
  }

  function begun(made: Session, agreed: RemoteMedia): void {
    if (hasEnded) return;
    const remote = withKeys(agreed, trunk, request);
    made.setRemote(remote);
    on.answered?.(remote);
  }

  /** Whoever listens by then. */
  const eventsOf = (): CallEvents => ({
    media: (remote) => on.media?.(remote),
    held: (isHeld) => on.held?.(isHeld),
    dtmf: (digit) => on.dtmf?.(digit),
    transferred: (transfer) => on.transferred?.(transfer),
    ended() {},
  });

  transaction.cancelled = () => {
    if (session === undefined) givenUp();
  };
  say(100, []);

  return {
    callId: request.callId,
    trunk: trunk.name,
    from: request.from.parsed ? keptWords(numberOf(request.from.parsed)) : "",
    to: keptWords(calledIn(request, trunk)),
    attestation: attestationIn(request),
    header: (name) => header(request, name),
    listen(events) {
      on = events;
    },
    ring,
    answer,
    reject,
    hangup() {
      if (session) session.hangup();
      else reject(480);
    },
    hold: async (isHeld) => session?.hold(isHeld) ?? false,
    refer: (to) => session?.refer(to),
    press: (digits) => session?.press(digits),
  };
}

/** The dialog that a call to us would have; undefined when it names no contact. */
export const dialogOfCall = (request: SipRequest, link: Link): Dialog | undefined =>
  dialogOfRequest(request, token(link.random));
