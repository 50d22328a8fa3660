import type { SipResponse } from "#adapters/sip-messages/message.ts";
import type { Clock } from "./clock.ts";

/** RFC 3261, 17.1.1.1: an estimate of the round trip, the longest wait between retransmissions, and how long a message may linger. */
export const T1_MS = 500;
export const T2_MS = 4_000;
export const T4_MS = 5_000;
/** Timers B, F, H, J, L and M: after this long nothing more can come. */
export const LINGER_MS = 64 * T1_MS;
/** Timer D, over UDP. */
const TIMER_D_MS = 32_000;

export type ClientEvents = {
  /** Provisional and final ones; of an INVITE also every 2xx again that is retransmitted, or comes from another branch. */
  response(response: SipResponse): void;
  /** No final answer came in time, or the transport failed: `error` then says how. */
  failed(error: Error | undefined): void;
  /** Nothing more can come. */
  ended(): void;
};

export type ClientTransaction = {
  received(response: SipResponse): void;
  /** The transport could not send. */
  failed(error: Error): void;
  /** Stops every timer, without a word. */
  abandon(): void;
};

type Parts = {
  clock: Clock;
  /** TCP and TLS retransmit by themselves. */
  isReliable: boolean;
  send(): void;
  on: ClientEvents;
};

/**
 * An INVITE's client transaction (RFC 3261, 17.1.1, with RFC 6026's state for a 2xx). States: calling, proceeding, then accepted by a
 * 2xx or completed by another final answer, then ended. `acknowledge` sends the ACK of an answer that is no 2xx.
 */
export function inviteClientTransaction(
  parts: Parts & { acknowledge(response: SipResponse): void },
): ClientTransaction {
  let state: "calling" | "proceeding" | "accepted" | "completed" | "ended" = "calling";
  const alarms = alarmsOf(parts.clock);

  function end(): void {
    if (state === "ended") return;
    state = "ended";
    alarms.stop();
    parts.on.ended();
  }

  function giveUp(error: Error | undefined): void {
    if (state !== "calling" && state !== "proceeding") return;
    parts.on.failed(error);
    end();
  }

  /** Timer A. */
  function retransmitAfter(ms: number): void {
    alarms.after(ms, () => {
      parts.send();
      retransmitAfter(ms * 2);
    });
  }

  parts.send();
  if (!parts.isReliable) retransmitAfter(T1_MS);
  alarms.after(LINGER_MS, () => giveUp(undefined));

  return {
    received(response) {
      if (state === "ended") return;
      if (state === "completed") {
        if (response.status >= 300) parts.acknowledge(response);
        return;
      }
      if (state === "accepted") {
        if (response.status >= 200 && response.status < 300) parts.on.response(response);
        return;
      }
      alarms.stop();
      if (response.status < 200) {
        state = "proceeding";
        parts.on.response(response);
        return;
      }
      const isAccepted = response.status < 300;
      state = isAccepted ? "accepted" : "completed";
      if (!isAccepted) parts.acknowledge(response);
      alarms.after(isAccepted ? LINGER_MS : parts.isReliable ? 0 : TIMER_D_MS, end);
      parts.on.response(response);
    },
    failed: giveUp,
    abandon() {
      state = "ended";
      alarms.stop();
    },
  };
}

/** Any other request's (17.1.2). States: trying, proceeding, completed, ended. */
export function clientTransaction(parts: Parts): ClientTransaction {
  let state: "trying" | "proceeding" | "completed" | "ended" = "trying";
  const alarms = alarmsOf(parts.clock);

  function end(): void {
    if (state === "ended") return;
    state = "ended";
    alarms.stop();
    parts.on.ended();
  }

  function giveUp(error: Error | undefined): void {
    if (state !== "trying" && state !== "proceeding") return;
    parts.on.failed(error);
    end();
  }

  /** Timer E. */
  function retransmitAfter(ms: number): void {
    alarms.after(ms, () => {
      parts.send();
      retransmitAfter(state === "proceeding" ? T2_MS : Math.min(ms * 2, T2_MS));
    });
  }

  parts.send();
  if (!parts.isReliable) retransmitAfter(T1_MS);
  alarms.after(LINGER_MS, () => giveUp(undefined));

  return {
    received(response) {
      if (state === "completed" || state === "ended") return;
      if (response.status < 200) {
        state = "proceeding";
        parts.on.response(response);
        return;
      }
      state = "completed";
      alarms.stop();
      alarms.after(parts.isReliable ? 0 : T4_MS, end);
      parts.on.response(response);
    },
    failed: giveUp,
    abandon() {
      state = "ended";
      alarms.stop();
    },
  };
}

/** Timers that are stopped together; one that has fired is removed. */
export function alarmsOf(clock: Clock): { after(ms: number, run: () => void): void; stop(): void } {
  const set = new Set<() => void>();
  return {
    after(ms, run) {
      const stop = clock.after(ms, () => {
        set.delete(stop);
        run();
      });
      set.add(stop);
    },
    stop() {
      for (const stop of set) stop();
      set.clear();
    },
  };
}
