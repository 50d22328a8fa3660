import {
  type Header,
  header,
  keptWords,
  lists,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from "#adapters/sip-messages/message.ts";
import {
  answerOffer,
  type LocalMedia,
  type RemoteMedia,
  readAnswer,
  type SrtpPolicy,
  writeOffer,
} from "#adapters/sip-messages/offer-answer.ts";
import { LINGER_MS } from "#adapters/sip-transport/client-transaction.ts";
import { fraction } from "#adapters/sip-transport/clock.ts";
import { type ExchangeEvents, exchange } from "#adapters/sip-transport/exchange.ts";
import type { Link } from "#adapters/sip-transport/link.ts";
import type { Response, ServerTransaction } from "#adapters/sip-transport/transactions.ts";
import type { Hop } from "#adapters/sip-transport/transports.ts";
import type { CallEnd, CallEvents } from "./call.ts";
import { userToward } from "./caller-identity.ts";
import { contactOf, type Dialog, nextHopOf, requestIn } from "./dialog.ts";
import { digitOf, keyInfo, transferOf, withKeys } from "./in-call.ts";
import { reasonOf } from "./outcome.ts";
import { untilAcknowledged } from "./reliable-answer.ts";
import {
  askForInterval,
  asksForTooLittle,
  intervalForAnswer,
  intervalOfAnswer,
  MIN_SESSION_SECONDS,
  raisedMinimum,
  type SessionInterval,
  sessionTimer,
} from "./session-timer.ts";

/** The methods that we accept, listed in Allow. REFER and MESSAGE are left out: nobody can make us dial or store a text. */
export const ALLOW = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, PRACK, NOTIFY";
export const SUPPORTED = "100rel, timer";

/** RFC 3261, 14.1: whoever made the Call-ID waits longer after both sides asked at once. Milliseconds, least and most. */
const GLARE_MS = { owner: [2_100, 4_000], other: [0, 2_000] } as const;
/** More keys than any menu asks for. */
const MAX_KEYS = 100;
/** One that is always asking itself will never be asked. */
const MAX_GLARES = 4;

export type Session = {
  request(transaction: ServerTransaction): void;
  ack(request: SipRequest): void;
  waitsForAck(): boolean;
  /** Sends the ACK of a 2xx to our INVITE, again for each that comes again. */
  acknowledge(cseq: number): void;
  hangup(): void;
  hold(isHeld: boolean): Promise<boolean>;
  refer(to: string): void;
  press(digits: string): void;
  /** Sends the 2xx to the INVITE that began it, and waits for its ACK. */
  answer(transaction: ServerTransaction, response: Response, acknowledged: (ack: SipRequest) => void): void;
  startTimer(interval: SessionInterval | undefined): void;
  setRemote(remote: RemoteMedia): void;
};

/**
 * An answered call: everything within its dialog. States: up, then ended, which happens once, in `end`; after it only a BYE and a 2xx that
 * come again are still answered, until nothing can come any more.
 */
export function createSession(parts: {
  link: Link;
  dialog: Dialog;
  local: LocalMedia;
  srtp: SrtpPolicy;
  description: { sessionId: string; version: number };
  /** What made the dialog, for what the other side allows. */
  made: SipMessage;
  isCaller: boolean;
  on: CallEvents;
  closed(): void;
}): Session {
  const { link, dialog, on } = parts;
  const { clock, trunk } = link;
  const from = trunk.mediaAddresses ?? [];
  const hops = link.hopsOf(nextHopOf(dialog));
  /** The other side has acknowledged that it is where it said: until then what we ask goes where its INVITE came from, not to whom it named. */
  let isConfirmed = parts.isCaller;
  let unconfirmed: Hop | undefined;
  let { version } = parts.description;
  let remote: RemoteMedia | undefined;
  let isHolding = false;
  /** Our re-INVITE is out, or waits to go out again after both sides asked at once. */
  let asking: "sent" | "waiting" | undefined;
  let hasEnded = false;
  /** Those that are still to be pressed, the one that is under way first. */
  const keys: string[] = [];
  let awaited: { cseq: number; stop(): void; acknowledged(ack: SipRequest): void } | undefined;
  let allowsUpdate = lists(parts.made, "allow", "UPDATE");
  let interval: SessionInterval | undefined;
  let minimum = MIN_SESSION_SECONDS;
  const timer = sessionTimer(clock, {
    refresh,
    expired: () => giveUp("the session was not refreshed"),
  });

  function end(why: CallEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    timer.stop();
    clock.after(LINGER_MS, parts.closed);
    on.ended(why);
  }

  /** The other side no longer knows of the call, or is gone. */
  function giveUp(text: string): void {
    const wasUp = !hasEnded;
    end({ cause: "lost", text: keptWords(text), reason: "telephony_provider_unavailable", mayHaveArrived: true });
    if (wasUp) bye();
  }

  function ask(method: string, headers: readonly Header[], body: string | undefined, events: ExchangeEvents): void {
    void hops.then((hops) =>
      exchange(link, {
        hops: unconfirmed ? [unconfirmed] : hops,
        request: requestIn(dialog, method, headers, body),
        nextCseq: () => ++dialog.localCseq,
        mayRepeat: false,
        on: events,
      }),
    );
  }

  function bye(): void {
    const failed = () => link.log("debug", "nobody answered a BYE", { callId: dialog.callId });
    onceAcknowledged(() => ask("BYE", [], undefined, { final() {}, failed }));
  }

  /** RFC 3261, 14.1 and 15: who has answered an INVITE asks for nothing before the answer is acknowledged. */
  function onceAcknowledged(send: () => void): void {
    if (awaited === undefined) {
      send();
      return;
    }
    const { acknowledged } = awaited;
    awaited.acknowledged = (ack) => {
      acknowledged(ack);
      send();
    };
  }

  function acknowledge(cseq: number): void {
    void hops.then(([hop]) => {
      if (hop) link.transactions.sendAck(requestIn(dialog, "ACK", [["cseq", `${cseq} ACK`]]), hop);
    });
  }

  function setRemote(agreed: RemoteMedia): void {
    const next = withKeys(agreed, trunk, parts.made);
    const before = remote;
    remote = next;
    if (before === undefined || hasEnded) return;
    if (JSON.stringify(before) !== JSON.stringify(next)) on.media?.(next);
    if (before.hears !== next.hears) on.held?.(!next.hears);
  }

  const direction = () => (isHolding ? "sendonly" : "sendrecv");
  const describe = () => ({ sessionId: parts.description.sessionId, version, direction: direction() }) as const;
  const contact: Header[] = [["contact", link.contact]];
  const about: Header[] = [...contact, ["allow", ALLOW], ["supported", SUPPORTED]];
  const timing = () => (interval === undefined ? [] : askForInterval(interval.seconds, minimum));

  /** Takes in a 422 (RFC 4028, 7.3). True when the request has a chance now. */
  function wantsLonger(response: SipResponse): boolean {
    const raised = raisedMinimum(response, minimum);
    if (raised === undefined || interval === undefined) return false;
    minimum = raised;
    interval = { ...interval, seconds: Math.max(raised, interval.seconds) };
    return true;
  }

  /** Offers our side again. Resolves to whether the other side agreed. */
  function reinvite(glares = 0): Promise<boolean> {
    asking = "sent";
    return new Promise((done) => {
      let isOver = false;
      const over = (isAgreed: boolean) => {
        isOver = true;
        asking = undefined;
        done(isAgreed);
      };
      const again = (tries: number) => {
        isOver = true;
        asking = undefined;
        if (hasEnded) done(false);
        else void reinvite(tries).then(done);
      };
      const offer = () => writeOffer(parts.local, parts.srtp, describe());
      const headers = (): Header[] => [...about, ...timing(), ["content-type", "application/sdp"]];
      const answers: ExchangeEvents = {
        final(response, { cseq }) {
          if (response.status >= 200 && response.status < 300) {
            acknowledge(cseq);
            if (isOver) return;
            dialog.target = contactOf(response) ?? dialog.target;
            const agreed = link.permitted(readAnswer(response.body.toString(), parts.local, parts.srtp, from));
            if (agreed.ok) setRemote(link.reached(agreed.remote, true));
            startTimer(intervalOfAnswer(response));
            return over(agreed.ok);
          }
          if (response.status === 408 || response.status === 481) giveUp(response.reason);
          if (wantsLonger(response)) return again(glares);
          if (response.status !== 491 || glares >= MAX_GLARES || hasEnded) return over(false);
          // Theirs may come meanwhile, and is to be answered: that is what the wait is for.
          asking = "waiting";
          const [least, most] = GLARE_MS[parts.isCaller ? "owner" : "other"];
          clock.after(least + fraction(link.random) * (most - least), () => again(glares + 1));
        },
        failed() {
          giveUp("nobody answered a re-INVITE");
          over(false);
        },
      };
      onceAcknowledged(() => (hasEnded ? over(false) : ask("INVITE", headers(), offer(), answers)));
    });
  }

  function refresh(): void {
    if (hasEnded || asking !== undefined) return;
    if (!allowsUpdate) return void reinvite();
    ask("UPDATE", [...about, ...timing()], undefined, {
      final(response) {
        if (response.status < 300) startTimer(intervalOfAnswer(response));
        else if (response.status === 408 || response.status === 481) giveUp(response.reason);
        else if (wantsLonger(response)) refresh();
        else {
          // RFC 3311 is optional even where it was announced.
          allowsUpdate = false;
          if (!hasEnded && asking === undefined) void reinvite();
        }
      },
      failed: () => giveUp("nobody answered an UPDATE"),
    });
  }

  /** One after the other: keys that overtake each other would be another number. */
  function pressNext(): void {
    const digit = keys[0];
    if (hasEnded || digit === undefined) return void keys.splice(0);
    const { headers, body } = keyInfo(digit);
    const next = () => {
      keys.shift();
      pressNext();
    };
    ask("INFO", headers, body, { final: next, failed: next });
  }

  function startTimer(next: SessionInterval | undefined): void {
    interval = next;
    if (!hasEnded) timer.restart(next);
  }

  function answer(transaction: ServerTransaction, response: Response, acknowledged: (ack: SipRequest) => void): void {
    transaction.respond(response);
    const lost = () => {
      const waiting = awaited;
      awaited = undefined;
      const { protocol, address, port } = transaction.source;
      if (!isConfirmed) unconfirmed = { protocol, address, port };
      giveUp("no ACK came");
      if (hasEnded) waiting?.acknowledged(transaction.request);
    };
    const stop = untilAcknowledged(clock, transaction, lost);
    awaited = { cseq: transaction.request.cseq, stop, acknowledged };
  }

  /** A re-INVITE or an UPDATE: an offer, or a sign of life. */
  function changed(transaction: ServerTransaction): void {
    const { request } = transaction;
    const isInvite = request.method === "INVITE";
    const refuse = (status: number, headers: readonly Header[] = []) =>
      transaction.respond({ status, reason: reasonOf(status), headers });
    if (asking === "sent" && (isInvite || request.body.length > 0)) return void refuse(491);
    if (isInvite && awaited !== undefined) return void refuse(500, [["retry-after", "2"]]);
    if (asksForTooLittle(request)) return void refuse(422, [["min-se", String(MIN_SESSION_SECONDS)]]);
    const text = request.body.toString();
    const timing = intervalForAnswer(request);
    const headers: Header[] = [...about, ...(timing?.headers ?? [])];
    const respond = (body: string | undefined, acknowledged: (ack: SipRequest) => void) => {
      dialog.target = contactOf(request) ?? dialog.target;
      if (timing) startTimer(timing);
      const type: Header[] = body === undefined ? [] : [["content-type", "application/sdp"]];
      const response = { status: 200, reason: "OK", headers: [...headers, ...type], body };
      if (isInvite) answer(transaction, response, acknowledged);
      else transaction.respond(response);
    };
    if (text === "" && !isInvite) {
      respond(undefined, () => {});
      return;
    }
    version++;
    if (text === "") {
      respond(writeOffer(parts.local, parts.srtp, describe()), (ack) => {
        const agreed = link.permitted(readAnswer(ack.body.toString(), parts.local, parts.srtp, from));
        if (agreed.ok) setRemote(link.reached(agreed.remote, true));
      });
      return;
    }
    const agreed = link.permitted(answerOffer(text, parts.local, trunk.srtp, from, describe()));
    if (!agreed.ok) return void refuse(488, [["warning", `399 parley "${agreed.why}"`]]);
    respond(agreed.sdp, () => {});
    setRemote(link.reached(agreed.remote, true));
  }

  function heard(transaction: ServerTransaction): void {
    const { request } = transaction;
    const say = (status: number, headers: readonly Header[] = []) =>
      transaction.respond({ status, reason: reasonOf(status), headers });
    switch (request.method) {
      case "BYE":
        say(200);
        awaited?.stop();
        end({
          cause: "they_hung_up",
          text: keptWords(header(request, "reason") ?? "BYE"),
          reason: "user_hangup",
          mayHaveArrived: true,
        });
        return;
      case "INVITE":
      case "UPDATE":
        changed(transaction);
        return;
      case "INFO": {
        say(200);
        const digit = digitOf(request);
        if (digit !== undefined) on.dtmf?.(digit);
        return;
      }
      case "NOTIFY": {
        const transfer = transferOf(request);
        say(transfer === undefined ? 489 : 200);
        if (transfer) on.transferred?.(transfer);
        return;
      }
      case "OPTIONS":
        return void say(200, about);
      case "PRACK":
        return void say(481);
      case "REFER":
        return void say(603);
      default:
        return void say(405, [["allow", ALLOW]]);
    }
  }

  return {
    request(transaction) {
      const { request } = transaction;
      // RFC 3261, 12.2.2: an older request that was overtaken.
      if (request.cseq <= dialog.remoteCseq) return void transaction.respond({ status: 500, reason: reasonOf(500) });
      dialog.remoteCseq = request.cseq;
      const status = request.method === "BYE" ? 200 : 481;
      if (hasEnded) transaction.respond({ status, reason: reasonOf(status) });
      else heard(transaction);
    },
    ack(request) {
      if (awaited?.cseq !== request.cseq) return;
      const { stop, acknowledged } = awaited;
      awaited = undefined;
      isConfirmed = true;
      stop();
      acknowledged(request);
    },
    waitsForAck: () => awaited !== undefined,
    acknowledge,
    hangup() {
      if (hasEnded) return;
      end({ cause: "we_hung_up", text: "BYE", reason: "agent_hangup", mayHaveArrived: true });
      bye();
    },
    press(digits) {
      const isIdle = keys.length === 0;
      keys.push(...[...digits].slice(0, MAX_KEYS - keys.length));
      if (isIdle) onceAcknowledged(pressNext);
    },
    async hold(next) {
      if (hasEnded || asking !== undefined) return false;
      const before = isHolding;
      isHolding = next;
      version++;
      const isAgreed = await reinvite();
      if (!isAgreed) isHolding = before;
      return isAgreed;
    },
    refer(to) {
      if (hasEnded) return;
      const domain = trunk.fromDomain ?? trunk.host;
      const target = /^(sips?|tel):/.test(to) ? to : `sip:${userToward(trunk, to)}@${domain}`;
      const headers: Header[] = [...contact, ["refer-to", `<${target}>`], ["referred-by", link.contact]];
      ask("REFER", headers, undefined, {
        final(response) {
          if (response.status >= 300) on.transferred?.({ status: response.status, isFinal: true });
        },
        failed: () => on.transferred?.({ status: 408, isFinal: true }),
      });
    },
    answer,
    startTimer,
    setRemote,
  };
}
