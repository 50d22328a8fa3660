import { type Header, header, headerList, type SipResponse } from "#adapters/sip-messages/message.ts";
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

export type Registration = { isRegistered(): boolean; stop(): void };

/** Keeps us registered with the trunk (RFC 3261, 10.2): every half of what it grants. */
export function register(link: Link): Registration {
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

  function again(ms: number): void {
    stopTimer();
    if (!isStopped) stopTimer = clock.after(ms, () => void send(seconds));
  }

  async function send(expires: number): Promise<void> {
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
        failed: () => again(RETRY_MS),
      },
    });
  }

  function answered(response: SipResponse, expires: number): void {
    const minimum = Number.parseInt(header(response, "min-expires") ?? "", 10);
    if (response.status === 423 && minimum > seconds && minimum <= MAX_EXPIRES_SECONDS) {
      seconds = minimum;
      void send(seconds);
    } else if (response.status < 300) {
      const granted = expires === 0 ? 0 : grantedBy(response, expires);
      until = clock.now() + granted * 1_000;
      if (granted > 0) again(granted * 500);
    } else {
      until = 0;
      link.log("warn", "a registration was refused", {
        trunk: trunk.name,
        status: response.status,
        reason: response.reason,
      });
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
    stop() {
      isStopped = true;
      stopTimer();
      if (until > clock.now()) void send(0);
      until = 0;
    },
  };
}
