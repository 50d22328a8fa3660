import type { Header, OutgoingRequest, SipResponse } from "#adapters/sip-messages/message.ts";
import type { Link } from "./link.ts";
import type { SentRequest } from "./transactions.ts";
import type { Hop } from "./transports.ts";

/** A wrong password is refused at once; a stale nonce, or a proxy and then a server that ask, take a try each. */
const MAX_TRIES_TO_AUTHORIZE = 4;

export type ExchangeEvents = {
  provisional?(response: SipResponse): void;
  /** Final; of an INVITE also each 2xx that comes later. `cseq` is of the request that it answers. */
  final(response: SipResponse, sent: { cseq: number; hop: Hop }): void;
  /** `error` when the transport failed, without it when nobody answered. `mayHaveArrived` is false when surely nothing left. */
  failed(failure: { error: Error | undefined; mayHaveArrived: boolean }): void;
  ended?(): void;
};

/**
 * Sends a request and sees it through: credentials when they are asked for, the next server when one cannot be reached or has no room
 * (503; RFC 3263, 4.3). A server that stays silent is not passed over where `mayRepeat` is false: it may well have the request, and a
 * second INVITE would ring twice.
 */
export function exchange(
  link: Link,
  parts: {
    hops: readonly Hop[];
    /** Without Via and CSeq. */
    request: OutgoingRequest;
    nextCseq(): number;
    mayRepeat: boolean;
    /** Asked right before each further try; when false, what ended the one before is the end. */
    mayTry?(): boolean;
    on: ExchangeEvents;
  },
): SentRequest {
  let current: SentRequest | undefined;
  let tries = 0;
  let isAbandoned = false;

  function send(at: number): void {
    const hop = parts.hops[at];
    if (hop === undefined) {
      const error = new Error("the trunk has no address");
      queueMicrotask(() => {
        link.failed(error);
        parts.on.failed({ error, mayHaveArrived: false });
      });
      return;
    }
    const cseq = parts.nextCseq();
    const sent: Header[] = link.authorizer.headersFor(parts.request.method, parts.request.uri);
    const headers: Header[] = [...parts.request.headers, ["cseq", `${cseq} ${parts.request.method}`], ...sent];
    let isHeard = false;
    let isOver = false;
    const again = (next: number): void => {
      isOver = true;
      send(next);
    };
    const mayTry = () => parts.mayTry?.() ?? true;
    const hasNext = () => at + 1 < parts.hops.length && mayTry();
    current = link.transactions.request({ ...parts.request, headers }, hop, {
      response(response) {
        if (isAbandoned) return;
        isHeard = true;
        if (response.status < 200) return parts.on.provisional?.(response);
        // RFC 3261, 21.5.4: to a call it says that there is no room for this one, to a keep-alive that there is none at all.
        link.saw(hop, response.status !== 503 ? "up" : parts.request.method === "OPTIONS" ? "down" : "full");
        const isAsked = response.status === 401 || response.status === 407;
        const isLearnt = isAsked && ++tries < MAX_TRIES_TO_AUTHORIZE && link.authorizer.learn(response, sent);
        if (isLearnt && mayTry()) return again(at);
        if (response.status === 503 && hasNext()) return again(at + 1);
        parts.on.final(response, { cseq, hop });
      },
      failed(error) {
        if (isAbandoned) return;
        link.saw(hop, "down");
        link.failed(error);
        const mayHaveArrived = isHeard || error === undefined;
        if ((parts.mayRepeat || !mayHaveArrived) && hasNext()) return again(at + 1);
        parts.on.failed({ error, mayHaveArrived });
      },
      ended() {
        if (!isOver) parts.on.ended?.();
      },
    });
  }

  send(0);
  return {
    cancel: (reason) => current?.cancel(reason),
    abandon() {
      isAbandoned = true;
      current?.abandon();
    },
  };
}
