import { MAX_STRANGERS_BYTES } from "#adapters/sip-messages/parse-message.ts";
import type { DropCounter } from "#domain/system/network-drop.ts";
import type { Clock } from "./clock.ts";
import { networkOf, perSecond } from "./rate.ts";

/** Shorter ones are keep-alives of line ends, or nothing. */
const MIN_DATAGRAM_BYTES = 16;
/**
 * Datagrams a second that are read of one unknown sender, and of all of them: an end of a call that comes from another address than the call
 * did, and a call that is proved by a password, are two or three.
 */
const STRANGERS_DATAGRAMS = { each: 20, all: 200 };
/** Connections at one time of unknown addresses, and of any. A port of ours takes `MAX_CONNECTIONS` in all. */
const STRANGERS_CONNECTIONS = { each: 10, all: 200 };
const KNOWN_CONNECTIONS = 500;
export const MAX_CONNECTIONS = 2_000;
/** Who has spoken to us, or was spoken to, is known for so long after it. */
const MET_MS = 10 * 60_000;
const MAX_MET = 4_096;

/** A connection that somebody has opened to us. */
export type Visit = {
  /** It has said something that only somebody known can. */
  prove(): void;
  isProven(): boolean;
  leave(): void;
};

export type Door = {
  /** Whether a datagram is to be read at all. Asked before a byte of it is. */
  mayRead(bytes: number, address: string): boolean;
  /** Undefined when it is one connection too many. */
  enter(address: string): Visit | undefined;
  /** Something has been sent there: what comes back is read. */
  sentTo(address: string): void;
  /** Something came from there that only somebody known can say. */
  proved(address: string): void;
  hasProved(address: string): boolean;
};

/**
 * Who is listened to before anything is read: whose address is known, and of the others few enough that they cost nothing. An address of UDP can be
 * forged; what comes over a connection cannot.
 */
export function createDoor(parts: {
  clock: Clock;
  drops: DropCounter;
  /** Whether an address is a trunk's. */
  isListed(address: string): boolean;
  /** Whether an address gave too many wrong passwords. */
  isLocked(address: string): boolean;
  /** Whether anything can come from an unknown address that is not to be dropped: while there are calls, or where a trunk is known by its password. */
  expectsStrangers(): boolean;
}): Door {
  const { clock, drops } = parts;
  const met = new Map<string, { untilMs: number; hasProved: boolean }>();
  const visits = new Map<string, number>();
  let strangersVisits = 0;
  const isWithinRate = perSecond(clock, STRANGERS_DATAGRAMS);

  function meet(address: string, hasProved: boolean): void {
    const before = met.get(address);
    met.delete(address);
    met.set(address, { untilMs: clock.now() + MET_MS, hasProved: hasProved || before?.hasProved === true });
    if (met.size > MAX_MET) met.delete(met.keys().next().value!);
  }

  const isMet = (address: string) => (met.get(address)?.untilMs ?? 0) > clock.now();
  const isKnown = (address: string) => isMet(address) || parts.isListed(address);

  return {
    mayRead(bytes, address) {
      if (bytes < MIN_DATAGRAM_BYTES) return false;
      if (bytes > MAX_STRANGERS_BYTES) drops.count("oversized");
      else if (isKnown(address)) return true;
      else if (!parts.expectsStrangers()) drops.count("stranger");
      else if (!isWithinRate(address)) drops.count("flooded");
      else return true;
      return false;
    },
    enter(address) {
      const isStranger = !isKnown(address);
      const key = isStranger ? networkOf(address) : address;
      const most = isStranger ? STRANGERS_CONNECTIONS.each : KNOWN_CONNECTIONS;
      const isTooMany = (visits.get(key) ?? 0) >= most || (isStranger && strangersVisits >= STRANGERS_CONNECTIONS.all);
      if (isTooMany || (isStranger && parts.isLocked(address))) {
        drops.count("connection");
        return undefined;
      }
      let state: "new" | "proven" | "left" = "new";
      visits.set(key, (visits.get(key) ?? 0) + 1);
      if (isStranger) strangersVisits++;
      return {
        prove() {
          if (state !== "new") return;
          state = "proven";
          if (isStranger) strangersVisits--;
        },
        isProven: () => state === "proven",
        leave() {
          if (state === "left") return;
          if (isStranger && state === "new") strangersVisits--;
          state = "left";
          const left = visits.get(key)! - 1;
          if (left > 0) visits.set(key, left);
          else visits.delete(key);
        },
      };
    },
    sentTo: (address) => meet(address, false),
    proved: (address) => meet(address, true),
    hasProved: (address) => isMet(address) && met.get(address)!.hasProved,
  };
}
