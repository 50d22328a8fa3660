/**
 * What a media node drops of what comes to it over the network, and holds back of what would leave it, by kind. All are counted, so that whoever runs it
 * sees a flood.
 */
export const NETWORK_DROPS = [
  /** Datagrams for SIP that are longer than any message of a call: dropped before they are read. */
  "oversized",
  /** What is past a rate or a bound: datagrams of unknown senders before they are read, challenges, requests beyond those being answered. */
  "flooded",
  /** What cannot be read, of a datagram or of a connection. */
  "malformed",
  /** Requests of unknown senders that got no answer. */
  "stranger",
  /** Wrong answers to a challenge. */
  "wrong_password",
  /** Requests of addresses that gave too many of them. */
  "locked_out",
  /** Connections that were one too many, or that proved nothing in time. */
  "connection",
  /** Packets of sound from an address that is not the call's, forged ones, and what is no RTP. */
  "rtp_refused",
  /** Packets of ours that did not leave, since their address has not sent us any. */
  "rtp_withheld",
] as const;

export type NetworkDrop = (typeof NETWORK_DROPS)[number];

/** How many there were of each kind since a process began; those that never were are absent. */
export type NetworkDrops = { readonly [kind in NetworkDrop]?: number };

export type DropCounter = {
  count(kind: NetworkDrop, times?: number): void;
  totals(): NetworkDrops;
  /** Those since it was asked last. */
  taken(): NetworkDrops;
};

export function dropCounter(): DropCounter {
  const totals: Partial<Record<NetworkDrop, number>> = {};
  let before: NetworkDrops = {};
  return {
    count(kind, times = 1) {
      if (times > 0) totals[kind] = (totals[kind] ?? 0) + times;
    },
    totals: () => ({ ...totals }),
    taken() {
      const since = NETWORK_DROPS.flatMap((kind) => {
        const more = (totals[kind] ?? 0) - (before[kind] ?? 0);
        return more > 0 ? [[kind, more] as const] : [];
      });
      before = { ...totals };
      return Object.fromEntries(since);
    },
  };
}
