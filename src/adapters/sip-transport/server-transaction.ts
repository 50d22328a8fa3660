import { alarmsOf, LINGER_MS, T1_MS, T2_MS, T4_MS } from "./client-transaction.ts";
import type { Clock } from "./clock.ts";

export type ServerMachine = {
  /** The same request once more. */
  repeated(): void;
  /** An INVITE's ACK, of an answer that is no 2xx. */
  acknowledged(): void;
  /** Sends a response. False when a final one has gone before. */
  respond(status: number, bytes: Buffer): boolean;
  isFinal(): boolean;
  abandon(): void;
};

type Parts = { clock: Clock; isReliable: boolean; send(bytes: Buffer): void; ended(): void };

/**
 * An INVITE's server transaction (RFC 3261, 17.2.1, with RFC 6026's state for a 2xx). States: proceeding, then accepted by a 2xx (which
 * its owner retransmits until the ACK) or completed by another, confirmed by the ACK, ended.
 */
export function inviteServerMachine(parts: Parts & { unacknowledged(): void }): ServerMachine {
  let state: "proceeding" | "accepted" | "completed" | "confirmed" | "ended" = "proceeding";
  let last: Buffer | undefined;
  const alarms = alarmsOf(parts.clock);

  function end(): void {
    if (state === "ended") return;
    state = "ended";
    alarms.stop();
    parts.ended();
  }

  /** Timer G. */
  function retransmitAfter(ms: number): void {
    alarms.after(ms, () => {
      parts.send(last!);
      retransmitAfter(Math.min(ms * 2, T2_MS));
    });
  }

  return {
    repeated() {
      if (last !== undefined && (state === "proceeding" || state === "completed")) parts.send(last);
    },
    acknowledged() {
      if (state !== "completed") return;
      state = "confirmed";
      alarms.stop();
      alarms.after(parts.isReliable ? 0 : T4_MS, end);
    },
    respond(status, bytes) {
      if (state !== "proceeding") return false;
      last = bytes;
      parts.send(bytes);
      if (status < 200) return true;
      if (status < 300) {
        state = "accepted";
        alarms.after(LINGER_MS, end);
        return true;
      }
      state = "completed";
      if (!parts.isReliable) retransmitAfter(T1_MS);
      alarms.after(LINGER_MS, () => {
        parts.unacknowledged();
        end();
      });
      return true;
    },
    isFinal: () => state !== "proceeding",
    abandon() {
      state = "ended";
      alarms.stop();
    },
  };
}

/** Any other request's (17.2.2). States: trying, proceeding, completed, ended. */
export function serverMachine(parts: Parts): ServerMachine {
  let isFinal = false;
  let last: Buffer | undefined;
  const alarms = alarmsOf(parts.clock);
  return {
    repeated() {
      if (last !== undefined) parts.send(last);
    },
    acknowledged() {},
    respond(status, bytes) {
      if (isFinal) return false;
      last = bytes;
      parts.send(bytes);
      if (status < 200) return true;
      isFinal = true;
      // Timer J: over a reliable transport the request cannot come again.
      alarms.after(parts.isReliable ? 0 : LINGER_MS, parts.ended);
      return true;
    },
    isFinal: () => isFinal,
    abandon: () => alarms.stop(),
  };
}
