import { type Header, header, headerList, keptWords, type SipResponse } from "#adapters/sip-messages/message.ts";
import { parseNameAddr } from "#adapters/sip-messages/name-addr.ts";
import { escapeUser, hostOf } from "#adapters/sip-messages/uri.ts";
import { token } from "./clock.ts";
import { exchange } from "./exchange.ts";
import type { Link } from "./link.ts";

/** Asked for; the registrar may say less or, by 423, more. */
const EXPIRES_SECONDS = 600;
const MAX_EXPIRES_SECONDS = 86_400;
/** After a refusal or silence, so that a registrar that is down is not stormed when it is back (RFC 5626, 4.5, waits so at first). */
const RETRY_MS = 30_000;

export type Registration = {
  isRegistered(): boolean;
  /** Registers at once, not when it is due. */
  renew(): void;
  /** Resolves once the registrar has taken the goodbye, or is not there to. */
  stop(): Promise<void>;
};

/** Keeps us registered with the trunk (RFC 3261, 10.2): every half of what it grants. */
export function register(link: Link, refused?: (status: number, reason: string) => void): Registration {
  const { trunk, clock, random } = link;
  const user = escapeUser(trunk.username ?? "parley");
  const host = hostOf(trunk.host);
  const address = `<sip:${user}@${hostOf(trunk.fromDomain ?? trunk.host)}>`;
  const callId = token(random, 16);
  let seconds = EXPIRES_SECONDS;
  let cseq = 0;
  let until = 0;
  let isStopped = false;
  let stopTimer = () => {};
  const parted = Promise.withResolvers<void>();
  let isAsking = false;

  function again(ms: number): void {
    stopTimer();
    if (!isStopped) stopTimer = clock.after(ms, () => void send(seconds));
  }

  async function send(expires: number): Promise<void> {
    isAsking = true;
    const headers: Header[] = [
      ["max-forwards", "70"],
      ["from", `${address};tag=${token(random)}`],
      ["to", address],
      ["call-id", callId],
      ["contact", `${link.contact};expires=${expires}`],
      ["expires", String(expires)],
      ["user-agent", "Parley"],
    ];
    exchange(link, {
      hops: await link.hops(),
      request: { method: "REGISTER", uri: `sip:${host}`, headers },
      nextCseq: () => ++cseq,
      mayRepeat: true,
      on: {
        final: (response) => answered(response, expires),
        failed() {
          isAsking = false;
          if (isStopped) return parted.resolve();
          if (until <= clock.now()) link.registered("Nothing answers the registration");
          again(RETRY_MS);
        },
      },
    });
  }

  function answered(response: SipResponse, expires: number): void {
    isAsking = false;
    // It was ended while it asked: what was granted meanwhile is given back.
    if (isStopped) {
      if (expires > 0 && response.status < 300) void send(0);
      else parted.resolve();
      return;
    }
    const minimum = Number.parseInt(header(response, "min-expires") ?? "", 10);
    if (response.status === 423 && minimum > seconds && minimum <= MAX_EXPIRES_SECONDS) {
      seconds = minimum;
      void send(seconds);
    } else if (response.status < 300) {
      const granted = expires === 0 ? 0 : grantedBy(response, expires);
      until = clock.now() + granted * 1_000;
      if (granted > 0) link.registered(undefined);
      if (granted > 0) again(granted * 500);
    } else {
      until = 0;
      const said = keptWords(response.reason);
      link.log("warn", "a registration was refused", {
        trunk: trunk.name,
        status: response.status,
        reason: said,
      });
      link.registered(`The registration is refused (${response.status} ${said})`);
      refused?.(response.status, said);
      again(RETRY_MS);
    }
  }

  function grantedBy(response: SipResponse, asked: number): number {
    const contacts = headerList(response, "contact").map(parseNameAddr);
    const own = contacts.find((contact) => contact !== undefined && link.contact.includes(contact.uri));
    const text = own?.params.get("expires") ?? header(response, "expires") ?? String(asked);
    return Math.max(1, Math.min(asked, Number.parseInt(text, 10) || asked));
  }

  void send(seconds);
  return {
    isRegistered: () => until > clock.now(),
    renew() {
      if (isStopped || isAsking) return;
      stopTimer();
      void send(seconds);
    },
    stop() {
      if (isStopped) return parted.promise;
      isStopped = true;
      stopTimer();
      if (until > clock.now() && !isAsking) void send(0);
      else if (!isAsking) parted.resolve();
      until = 0;
      return parted.promise;
    },
  };
}
