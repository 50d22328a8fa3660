import { isIPv6 } from "node:net";
import type { SipRequest } from "#adapters/sip-messages/message.ts";
import type { Agreed, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { parseUri } from "#adapters/sip-messages/uri.ts";
import { type Authorizer, authorizer } from "./authorizer.ts";
import type { Clock, Log, Random } from "./clock.ts";
import type { Door } from "./door.ts";
import { blockListOf } from "./gatekeeper.ts";
import { locate, MAX_HOPS, type Resolver } from "./locate.ts";
import type { ServerTransaction, Transactions } from "./transactions.ts";
import type { Hop, Protocol, TlsClient, Transports } from "./transports.ts";
import { troubleOf } from "./trouble.ts";
import type { Trunk } from "./trunk.ts";

/** A server that did not answer, or had no room, is asked last for this long. Where OPTIONS are sent a silent one is until it answers. */
const DOWN_MS = 30_000;

/** What an answer, or its absence, says about a server: it takes calls, has no room for this one (503), or is not there. */
export type Sighting = "up" | "full" | "down";

/** What a dialog of ours hears. */
export type DialogListener = {
  request(transaction: ServerTransaction): void;
  ack(request: SipRequest): void;
  /** Whether an answer of ours has to be acknowledged before anything else is asked, a goodbye too. */
  waitsForAck(): boolean;
};

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
  /** The trunk's servers, those that answer first. While the name service fails they are those of the last time. */
  hops(): Promise<Hop[]>;
  /** Where a route or a contact is. */
  hopsOf(uri: string): Promise<Hop[]>;
  /** What a request of ours has just seen. Of others than the trunk's own servers nothing is kept. */
  saw(hop: Hop, how: Sighting): void;
  /** A request could not be sent, or nothing came back (no `error`). Comes after `saw`. */
  failed(error: Error | undefined): void;
  /** Why the registrar does not have us; undefined: it has. */
  registered(problem: string | undefined): void;
  /** False when none of its servers is there. True until it is known. */
  isUp(): boolean;
  /**
   * What both agreed on, with what may leave toward the other side before it has sent us any. `isConfirmed` is false while an INVITE to us is not
   * acknowledged: its address may be forged, and its description name whoever is to be flooded.
   */
  reached(remote: RemoteMedia, isConfirmed: boolean): RemoteMedia;
  /** Whether an address is of one of the trunk's own servers. */
  isServer(address: string): boolean;
  /** What both agreed on, unless the sound would go where nothing of this trunk's may. */
  permitted<A extends Agreed>(agreed: A): A | Extract<Agreed, { ok: false }>;
  /** Makes a dialog's requests heard; the returned function ends it. */
  enroll(callId: string, localTag: string, listener: DialogListener): () => void;
};

export function linkOf(parts: {
  trunk: Trunk;
  clock: Clock;
  random: Random;
  log: Log;
  transactions: Transactions;
  transports: Transports;
  resolver: Resolver;
  door: Pick<Door, "hasProved">;
  enroll: Link["enroll"];
  /** Learns why nothing can be had of the trunk now, as a sentence without its end, and (undefined) that it can: the first time, and when it changes. */
  problem?(sentence: string | undefined): void;
}): Link {
  const { trunk, clock, random } = parts;
  let servers: readonly Hop[] = [];
  const shunned = new Map<string, { until: number; isThere: boolean }>();
  let wasUp = true;
  /** Of all its servers, and of its registrar. */
  const problems: { servers?: string | undefined; registrar?: string | undefined } = {};
  let said: string | undefined | "nothing yet" = "nothing yet";
  const named = blockListOf([...trunk.allowedAddresses, ...(trunk.mediaAddresses ?? [])]);
  const nameOf = ({ address, port }: Hop) => `${address} ${port}`;
  const isShunned = (hop: Hop) => (shunned.get(nameOf(hop))?.until ?? 0) > clock.now();
  const isThere = (hop: Hop) => !isShunned(hop) || shunned.get(nameOf(hop))!.isThere;
  const isUp = () => servers.length === 0 || servers.some(isThere);

  const tlsFor = (host: string): TlsClient => ({
    name: host,
    verify: trunk.tls?.verify ?? true,
    ...(trunk.tls?.ca === undefined ? {} : { ca: trunk.tls.ca }),
  });
  const placeOf = (host: string, port: number | undefined, protocol: Protocol) =>
    locate(
      {
        ...{ host, port, protocol, ...(protocol === "tls" ? { tls: tlsFor(host) } : {}) },
        ...(trunk.mayReach ? { mayReach: trunk.mayReach } : {}),
      },
      parts.resolver,
      random,
    );
  const entries = trunk.proxies ?? [{ host: trunk.host, ...(trunk.port === undefined ? {} : { port: trunk.port }) }];
  /** Of the entries that the name service knows, in their order. Rejects where it knows none of them. */
  async function locateAll(): Promise<Hop[]> {
    const found = await Promise.allSettled(entries.map(({ host, port }) => placeOf(host, port, trunk.transport)));
    const failed = found.find((answer) => answer.status === "rejected");
    const located = found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (located.length === 0 && failed) throw failed.reason;
    return located.slice(0, MAX_HOPS);
  }

  function report(): void {
    const now = problems.servers ?? problems.registrar;
    if (now === said) return;
    said = now;
    parts.problem?.(now);
  }

  const transport = trunk.transport === "udp" ? "" : `;transport=${trunk.transport}`;
  return {
    trunk,
    clock,
    random,
    log: parts.log,
    transactions: parts.transactions,
    authorizer: authorizer(trunk, random),
    contact: `<sip:${trunk.contactUser ?? trunk.username ?? "parley"}@${parts.transports.sentBy(trunk.transport)}${transport}>`,
    async hops() {
      servers = await locateAll().catch(() => servers);
      const names = new Set(servers.map(nameOf));
      for (const name of shunned.keys()) if (!names.has(name)) shunned.delete(name);
      return [...servers.filter((hop) => !isShunned(hop)), ...servers.filter(isShunned)];
    },
    async hopsOf(text) {
      const uri = parseUri(text);
      if (uri === undefined || uri.scheme === "tel") return [];
      const named = uri.params.get("transport")?.toLowerCase();
      const protocol = (["udp", "tcp", "tls"] as const).find((one) => one === named);
      const over = uri.scheme === "sips" ? "tls" : (protocol ?? trunk.transport);
      return placeOf(uri.host, uri.port, over).catch(() => []);
    },
    saw(hop, how) {
      const name = nameOf(hop);
      if (!servers.some((server) => nameOf(server) === name)) return;
      const isAsked = trunk.keepAliveSeconds > 0;
      const until = how === "down" && isAsked ? Number.POSITIVE_INFINITY : clock.now() + DOWN_MS;
      if (how === "up") shunned.delete(name);
      else shunned.set(name, { until, isThere: how === "full" });
      if (how !== "down") {
        problems.servers = undefined;
        report();
      }
      if (wasUp === isUp()) return;
      wasUp = !wasUp;
      parts.log(wasUp ? "info" : "warn", wasUp ? "a trunk answers" : "a trunk does not answer", { trunk: trunk.name });
    },
    failed(error) {
      if (servers.length > 0 && isUp()) return;
      problems.servers = troubleOf(trunk.proxies?.[0]?.host ?? trunk.host, error);
      report();
    },
    registered(problem) {
      problems.registrar = problem;
      report();
    },
    isUp,
    reached(remote, isConfirmed) {
      const { address } = remote;
      const isKnown = parts.door.hasProved(address) || named.check(address, isIPv6(address) ? "ipv6" : "ipv4");
      return { ...remote, reach: isKnown ? "free" : isConfirmed ? "burst" : "heard" };
    },
    isServer: (address) => servers.some((server) => server.address === address),
    permitted(agreed) {
      if (!agreed.ok || trunk.mayReach === undefined) return agreed;
      const { address } = agreed.remote;
      // The name of a host that the operator allows says nothing of what else it names.
      if (trunk.mayReach(address, address)) return agreed;
      return { ok: false, why: "the sound was to go to an address that is not public" };
    },
    enroll: parts.enroll,
  };
}
