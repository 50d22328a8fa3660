import { type Authorizer, authorizer } from "./authorizer.ts";
import type { Clock, Log, Random } from "./clock.ts";
import { locate, type Resolver } from "./locate.ts";
import type { SipRequest } from "./message.ts";
import type { ServerTransaction, Transactions } from "./transactions.ts";
import type { Hop, Protocol, TlsClient, Transports } from "./transports.ts";
import type { Trunk } from "./trunk.ts";
import { parseUri } from "./uri.ts";

/** A server that did not answer is asked last for this long. */
const DOWN_MS = 30_000;

/** What a dialog of ours hears. */
export type DialogListener = { request(transaction: ServerTransaction): void; ack(request: SipRequest): void };

/** What a call needs of the agent, for one trunk. */
export type Link = {
  readonly trunk: Trunk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly transactions: Transactions;
  readonly authorizer: Authorizer;
  /** Our address as a Contact. */
  readonly contact: string;
  /** The trunk's servers, those that answer first. */
  hops(): Promise<Hop[]>;
  /** Where a route or a contact is. */
  hopsOf(uri: string): Promise<Hop[]>;
  /** Whether a server answers, by what a request of ours has just seen. */
  saw(hop: Hop, isUp: boolean): void;
  isUp(): boolean;
  /** Makes a dialog's requests heard; the returned function ends it. */
  enroll(callId: string, localTag: string, listener: DialogListener): () => void;
};

export function linkOf(it: {
  trunk: Trunk;
  clock: Clock;
  random: Random;
  log: Log;
  transactions: Transactions;
  transports: Transports;
  resolver: Resolver;
  enroll: Link["enroll"];
}): Link {
  const { trunk, clock, random } = it;
  const downUntil = new Map<string, number>();
  const nameOf = ({ address, port }: Hop) => `${address} ${port}`;
  const isDown = (hop: Hop) => (downUntil.get(nameOf(hop)) ?? 0) > clock.now();
  let isAllDown = false;

  const tlsFor = (host: string): TlsClient => ({
    name: host,
    verify: trunk.tls?.verify ?? true,
    ...(trunk.tls?.ca === undefined ? {} : { ca: trunk.tls.ca }),
  });
  const placeOf = (host: string, port: number | undefined, protocol: Protocol) =>
    locate({ host, port, protocol, ...(protocol === "tls" ? { tls: tlsFor(host) } : {}) }, it.resolver, random);

  const transport = trunk.transport === "udp" ? "" : `;transport=${trunk.transport}`;
  return {
    trunk,
    clock,
    random,
    log: it.log,
    transactions: it.transactions,
    authorizer: authorizer(trunk, random),
    contact: `<sip:${trunk.username ?? "parley"}@${it.transports.sentBy(trunk.transport)}${transport}>`,
    async hops() {
      const hops = await placeOf(trunk.host, trunk.port, trunk.transport);
      return [...hops.filter((hop) => !isDown(hop)), ...hops.filter(isDown)];
    },
    async hopsOf(text) {
      const uri = parseUri(text);
      if (uri === undefined || uri.scheme === "tel") return [];
      const named = uri.params.get("transport")?.toLowerCase();
      const protocol = (["udp", "tcp", "tls"] as const).find((one) => one === named);
      return placeOf(uri.host, uri.port, uri.scheme === "sips" ? "tls" : (protocol ?? trunk.transport));
    },
    saw(hop, isUp) {
      if (isUp) downUntil.delete(nameOf(hop));
      else downUntil.set(nameOf(hop), clock.now() + DOWN_MS);
      if (isAllDown === isUp)
        it.log(isUp ? "info" : "warn", isUp ? "a trunk answers" : "a trunk does not answer", { trunk: trunk.name });
      isAllDown = !isUp;
    },
    isUp: () => !isAllDown,
    enroll: it.enroll,
  };
}
