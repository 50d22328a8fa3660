import {
  type Header,
  header,
  keptWords,
  lists,
  type OutgoingRequest,
  type SipResponse,
} from "#adapters/sip-messages/message.ts";
import { type RemoteMedia, readAnswer, writeOffer } from "#adapters/sip-messages/offer-answer.ts";
import { hostOf } from "#adapters/sip-messages/uri.ts";
import { LINGER_MS } from "#adapters/sip-transport/client-transaction.ts";
import { token } from "#adapters/sip-transport/clock.ts";
import { exchange } from "#adapters/sip-transport/exchange.ts";
import type { Link } from "#adapters/sip-transport/link.ts";
import type { SentRequest } from "#adapters/sip-transport/transactions.ts";
import type { CallEnd, CallEvents, CallRequest, SipCall } from "./call.ts";
import { callerHeaders, userToward } from "./caller-identity.ts";
import { contactOf, type Dialog, dialogOfResponse, nextHopOf, requestIn } from "./dialog.ts";
import { withKeys } from "./in-call.ts";
import { disconnectionOf, reasonOf } from "./outcome.ts";
import { ALLOW, createSession, type Session, SUPPORTED } from "./session.ts";
import {
  askForInterval,
  intervalOfAnswer,
  MIN_SESSION_SECONDS,
  raisedMinimum,
  SESSION_SECONDS,
} from "./session-timer.ts";

/** A server may say any number; what is later than this is later. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * Places a call. States: locating, calling (with a CANCEL wanted or sent, or not), up (a `Session`), ended, which happens once, in `end`.
 * Of many phones that ring the first to answer has the call; the others' answers are acknowledged and ended.
 */
export function placeCall(link: Link, wanted: CallRequest, on: CallEvents): SipCall {
  const { trunk, clock, random } = link;
  const from = trunk.mediaAddresses ?? [];
  const tag = token(random);
  const description = { sessionId: String(random(4).readUInt32BE()), version: 1 };
  const host = `${hostOf(trunk.host)}${trunk.port === undefined ? "" : `:${trunk.port}`}`;
  const transport = trunk.transport === "udp" ? "" : `;transport=${trunk.transport}`;
  const callee = userToward(trunk, wanted.to);
  const uri = `sip:${callee}@${host}${transport}`;
  const caller = callerHeaders(trunk, wanted.from, wanted.displayName);
  const fromValue = `${caller.from};tag=${tag}`;
  /** By the other side's tag: whoever rings. */
  const early = new Map<string, { dialog: Dialog; rseq: number; remote: RemoteMedia | undefined }>();
  /** Phones that answered too late, or when nobody wanted it any more. */
  const others = new Map<string, Session>();
  let cseq = 0;
  let seconds = { asked: SESSION_SECONDS, minimum: MIN_SESSION_SECONDS };
  let sent: SentRequest | undefined;
  let session: Session | undefined;
  let winner: string | undefined;
  let cancelling: "wanted" | "sent" | undefined;
  let isUnanswered = false;
  let hasEnded = false;
  let isProceeding = false;
  let stopRinging = () => {};

  function end(why: CallEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    stopRinging();
    // After that nothing can be said to it any more.
    if (session === undefined) clock.after(LINGER_MS, unenroll);
    on.ended(why);
  }

  const unenroll = link.enroll(wanted.callId, tag, {
    request(transaction) {
      const { request } = transaction;
      const dialog = early.get(request.from.params.get("tag") ?? "")?.dialog;
      if (session !== undefined && request.from.params.get("tag") === winner) session.request(transaction);
      else if (dialog !== undefined && request.method === "OPTIONS") transaction.respond({ status: 200, reason: "OK" });
      else transaction.respond({ status: 481, reason: reasonOf(481) });
    },
    ack: (request) => session?.ack(request),
    waitsForAck: () => session?.waitsForAck() ?? false,
  });

  function request(): OutgoingRequest {
    return {
      method: "INVITE",
      uri,
      headers: [
        ["max-forwards", "70"],
        ["from", fromValue],
        ["to", `<sip:${callee}@${hostOf(trunk.host)}>`],
        ...caller.more,
        ["call-id", wanted.callId],
        ["contact", link.contact],
        ["allow", ALLOW],
        ["supported", SUPPORTED],
        ...askForInterval(seconds.asked, seconds.minimum),
        ["user-agent", "Parley"],
        ...(wanted.headers ?? []),
        ["content-type", "application/sdp"],
      ],
      body: writeOffer(wanted.local, trunk.srtp, { ...description, direction: "sendrecv" }),
    };
  }

  async function begin(): Promise<void> {
    const hops = await link.hops();
    if (hasEnded) return;
    if (wanted.mayLeave?.() === false) return end(notPlaced("the call was called off"));
    if (wanted.ringMs !== undefined) stopRinging = clock.after(wanted.ringMs, rungOut);
    invite(hops);
  }

  /** A phone whose contact said STOP meanwhile must not ring because of an INVITE that leaves only now. */
  const mayTry = () => cancelling === undefined && wanted.mayLeave?.() !== false;

  function invite(hops: Awaited<ReturnType<Link["hops"]>>): void {
    sent = exchange(link, {
      hops,
      request: request(),
      nextCseq: () => ++cseq,
      mayRepeat: false,
      mayTry,
      on: {
        provisional,
        final(response, { cseq: answered }) {
          if (response.status < 300) return accepted(response, answered);
          const minimum = raisedMinimum(response, seconds.minimum);
          if (minimum !== undefined && mayTry()) {
            seconds = { asked: Math.max(minimum, seconds.asked), minimum };
            return invite(hops);
          }
          end(cancelling ? cancelled(response) : refusedBy(response));
        },
        failed({ error, mayHaveArrived }) {
          const text = error?.message ?? "no answer from the trunk";
          end({ cause: "unreachable", text, reason: "telephony_provider_unavailable", mayHaveArrived });
        },
      },
    });
  }

  function provisional(response: SipResponse): void {
    if (hasEnded) return;
    if (cancelling === "wanted") cancel();
    if (!isProceeding) {
      isProceeding = true;
      on.proceeding?.();
    }
    const remoteTag = response.to.params.get("tag");
    if (response.status === 100) return;
    if (remoteTag !== undefined) {
      const known = early.get(remoteTag) ?? { dialog: dialogFrom(response, cseq), rseq: 0, remote: undefined };
      early.set(remoteTag, known);
      if (lists(response, "require", "100rel") && !prack(response, known)) return;
      if (response.body.length > 0 && !cancelling) {
        const agreed = link.permitted(readAnswer(response.body.toString(), wanted.local, trunk.srtp, from));
        if (agreed.ok) {
          known.remote = link.reached(agreed.remote, true);
          on.earlyMedia?.(known.remote);
        }
      }
    }
    if (!cancelling) on.ringing?.(response.status);
  }

  /** RFC 3262, 4: in order, each once. False for one that came before or too early. */
  function prack(response: SipResponse, known: { dialog: Dialog; rseq: number }): boolean {
    const rseq = Number.parseInt(header(response, "rseq") ?? "", 10);
    if (!(rseq > 0) || (known.rseq !== 0 && rseq !== known.rseq + 1)) return false;
    known.rseq = rseq;
    const { dialog } = known;
    dialog.target = contactOf(response) ?? dialog.target;
    const headers: Header[] = [["rack", `${rseq} ${response.cseq} INVITE`]];
    void link.hopsOf(nextHopOf(dialog)).then((hops) =>
      exchange(link, {
        hops,
        request: requestIn(dialog, "PRACK", headers),
        nextCseq: () => ++dialog.localCseq,
        mayRepeat: false,
        on: { final() {}, failed() {} },
      }),
    );
    return true;
  }

  const dialogFrom = (response: SipResponse, answered: number): Dialog =>
    dialogOfResponse(response, { from: fromValue, tag, cseq: answered, uri });

  function accepted(response: SipResponse, answered: number): void {
    const remoteTag = response.to.params.get("tag") ?? "";
    if (session !== undefined && remoteTag === winner) {
      session.acknowledge(answered);
      return;
    }
    const unwanted = others.get(remoteTag);
    if (unwanted) {
      unwanted.acknowledge(answered);
      return;
    }
    const known = early.get(remoteTag);
    const dialog = dialogFrom(response, answered);
    dialog.localCseq = Math.max(dialog.localCseq, known?.dialog.localCseq ?? 0);
    const isWanted = session === undefined && !hasEnded && cancelling === undefined;
    const agreed =
      response.body.length === 0 && known?.remote !== undefined
        ? ({ ok: true, remote: known.remote } as const)
        : link.permitted(readAnswer(response.body.toString(), wanted.local, trunk.srtp, from));
    const isUp = isWanted && agreed.ok;
    const events: CallEvents = isUp ? on : { ended() {} };
    const made = createSession({
      link,
      dialog,
      local: wanted.local,
      srtp: agreed.ok && agreed.remote.srtp !== undefined ? trunk.srtp : "off",
      description,
      made: response,
      isCaller: true,
      on: isUp ? { ...events, ended: (why) => ended(why) } : events,
      closed: isUp ? unenroll : () => {},
    });
    made.acknowledge(answered);
    if (isUp) {
      session = made;
      winner = remoteTag;
      stopRinging();
      const remote = withKeys(link.reached(agreed.remote, true), trunk, response);
      made.setRemote(remote);
      made.startTimer(intervalOfAnswer(response));
      on.answered?.(remote);
      return;
    }
    others.set(remoteTag, made);
    made.hangup();
    // An answer that overtook our CANCEL, or that we cannot speak with.
    if (cancelling) end(cancelled(response));
    else if (isWanted && !agreed.ok) {
      end({ cause: "refused", status: 488, text: agreed.why, reason: disconnectionOf(488), mayHaveArrived: true });
    }
  }

  function ended(why: CallEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    on.ended(why);
  }

  const cancelled = (response: SipResponse): CallEnd => ({
    cause: isUnanswered ? "not_answered" : "cancelled",
    status: response.status,
    text: keptWords(response.reason),
    reason: isUnanswered ? "dial_no_answer" : "manual_stopped",
    mayHaveArrived: true,
  });

  function refusedBy(response: SipResponse): CallEnd {
    const text = refusalText(response);
    const seconds = Number.parseInt(header(response, "retry-after") ?? "", 10);
    return {
      cause: "refused",
      status: response.status,
      text,
      reason: disconnectionOf(response.status, text),
      mayHaveArrived: true,
      ...(seconds >= 0 ? { retryAfterMs: Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1_000 } : {}),
    };
  }

  function rungOut(): void {
    isUnanswered = true;
    hangup();
  }

  /** Only once something came back (RFC 3261, 9.1); what then stays silent is given up. */
  function cancel(): void {
    cancelling = "sent";
    sent?.cancel();
    clock.after(LINGER_MS, () => {
      if (hasEnded) return;
      sent?.abandon();
      const cause = isUnanswered ? "not_answered" : "cancelled";
      const reason = isUnanswered ? "dial_no_answer" : "manual_stopped";
      end({ cause, text: "nobody answered the CANCEL", reason, mayHaveArrived: true });
    });
  }

  function hangup(): void {
    if (session !== undefined) {
      session.hangup();
      return;
    }
    if (hasEnded || cancelling !== undefined) return;
    stopRinging();
    if (sent === undefined) {
      end(notPlaced("the call was called off"));
      return;
    }
    cancelling = "wanted";
    if (isProceeding) cancel();
  }

  void begin();
  return {
    callId: wanted.callId,
    trunk: trunk.name,
    hangup,
    hold: async (isHeld) => session?.hold(isHeld) ?? false,
    refer: (to) => session?.refer(to),
    press: (digits) => session?.press(digits),
  };
}

/** The carrier's own words for a refusal: its phrase, and what it says besides in Reason (RFC 3326) or Warning. */
function refusalText(response: SipResponse): string {
  const more = [header(response, "reason"), header(response, "warning")].filter((said) => said !== undefined);
  return keptWords([response.reason, ...more].join("; "));
}

export const notPlaced = (text: string, retryAfterMs?: number): CallEnd => ({
  cause: "not_placed",
  text,
  reason: "manual_stopped",
  mayHaveArrived: false,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
