import type { Header } from "#adapters/sip-messages/message.ts";
import type { LocalMedia, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import type { Attestation } from "#domain/calls/attestation.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";

/** A call to be placed. */
export type CallRequest = {
  /** Our number and the callee's, E.164, or names of the trunk's. */
  from: string;
  to: string;
  /** A name beside our number, for whoever shows it. */
  displayName?: string;
  /** The reference that is planted with the carrier: the Call-ID, as it is. */
  callId: string;
  local: LocalMedia;
  /** Given up as not answered after this long. */
  ringMs?: number;
  /** Names in lower case. */
  headers?: readonly Header[];
  /** Asked right before each INVITE: the first, and those after a challenge or with the next server. When false it does not leave. */
  mayLeave?: () => boolean;
};

/** What happens in a call, in order; `ended` is the last and comes once. None is called before the call is in its owner's hands. */
export type CallEvents = {
  /** The trunk has the call. */
  proceeding?(): void;
  /** 180, 183 ...: each that comes. */
  ringing?(status: number): void;
  /** Sound before the answer: a ringing tone, an announcement. */
  earlyMedia?(remote: RemoteMedia): void;
  answered?(remote: RemoteMedia): void;
  /** The other side moved its media, holds the call, or takes it up again. */
  media?(remote: RemoteMedia): void;
  held?(isHeld: boolean): void;
  /** A key that came by INFO; those of RTP come by the leg. */
  dtmf?(digit: string): void;
  transferred?(transfer: Transfer): void;
  ended(end: CallEnd): void;
};

/** How far a transfer is, by the status that the transferred party saw; final when no more news will come. */
export type Transfer = { status: number; isFinal: boolean };

export type CallEnd = {
  cause:
    | "they_hung_up"
    | "we_hung_up"
    /** We gave up before an answer: on request, or because it rang long enough. */
    | "cancelled"
    | "not_answered"
    /** A final status that is no 2xx. */
    | "refused"
    /** Not one answer, or no way to the trunk. */
    | "unreachable"
    /** It was there, and then no longer: no ACK, no refresh of the session. */
    | "lost"
    /** Nothing left, by our own doing. */
    | "not_placed";
  /** SIP's, where there was one. */
  status?: number;
  /** The status's phrase, or what failed. */
  text: string;
  reason: DisconnectionReason;
  /** False when the INVITE certainly reached nobody. */
  mayHaveArrived: boolean;
  retryAfterMs?: number;
};

export type SipCall = {
  readonly callId: string;
  readonly trunk: string;
  /** Ends it whatever its state: CANCEL, a refusal, BYE. Safe to repeat. */
  hangup(): void;
  /** Puts the other side on hold, or takes it up again. False when it did not agree. */
  hold(isHeld: boolean): Promise<boolean>;
  /** Puts the other side through to a number or a sip URI and hears of it by `transferred`; the call itself goes on until somebody ends it. */
  refer(to: string): void;
  /** Presses keys by INFO, in order; those of RTP go by the leg. */
  press(digits: string): void;
};

/** A call to us. Nothing but 100 has been said to it. */
export type InboundCall = SipCall & {
  /** Numbers, as in From and the Request-URI. */
  readonly from: string;
  readonly to: string;
  /** What the carrier says about the caller's right to its number. */
  readonly attestation: Attestation | undefined;
  /** The first header of that name, in lower case. */
  header(name: string): string | undefined;
  listen(events: CallEvents): void;
  ring(): void;
  /** Takes it: `answered` follows at once, or after the ACK where the other side leaves the offer to us. */
  answer(local: LocalMedia): void;
  /** `retryAfterMs` is when the caller may try us again, as a 503 says it. */
  reject(status: number, retryAfterMs?: number): void;
};
