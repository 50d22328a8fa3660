import { setTimeout as pause } from "node:timers/promises";
import { meaningOf } from "#adapters/smpp-pdus/status.ts";
import { type BindCommand, BindRefused, Link, type LinkParts } from "./link.ts";

/** After a link was lost it is tried again at once, then after pauses that double, each drawn between its half and one and a half of it. */
const PAUSE_MS = 500;
const PAUSE_MOST_MS = 30_000;
/** A gateway that knows our password no longer is not asked more often: some lock an account for it. */
const REFUSED_MS = 60_000;
/** A link that held for so long was a good one: the pauses begin anew. */
const GOOD_AFTER_MS = 10_000;

export type SessionParts = {
  bind: "trx" | "tx_rx";
  link: Omit<LinkParts, "bind">;
  random(): number;
  log(facts: Record<string, unknown>, words: string): void;
};

export type Session = {
  start(): void;
  /** What is under way is waited for no longer than is said; undefined = as long as the protocol allows. */
  stop(withinMs?: number): Promise<void>;
  /** What texts are submitted over, while it is bound. */
  transmitter(): Link | undefined;
  /** The status by which the gateway refused the account; undefined when it did not. */
  refused(): number | undefined;
  problem(): string | undefined;
};

/** Keeps an account connected: one link, or one for each direction, all of them or none. */
export function smppSession({ bind, link, random, log }: SessionParts): Session {
  let stopping = new AbortController();
  const commands: BindCommand[] = bind === "trx" ? ["bind_transceiver"] : ["bind_receiver", "bind_transmitter"];
  let links: Link[] = [];
  let refused: number | undefined;
  let problem: string | undefined = "it is not connected yet";
  let running: Promise<void> | undefined;
  let ending: Promise<void> | undefined;

  async function once(): Promise<Error> {
    links = commands.map((command) => new Link({ ...link, bind: command }));
    const opened = links;
    try {
      await Promise.all(opened.map(({ bound }) => bound));
      [refused, problem] = [undefined, undefined];
      return await Promise.race(opened.map(({ closed }) => closed));
    } catch (error) {
      const isAccount = error instanceof BindRefused && meaningOf(error.status).class === "account";
      refused = isAccount ? error.status : refused;
      return error as Error;
    } finally {
      for (const one of opened) one.close(new Error("the session's other link ended"));
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const began = performance.now();
      const error = await once();
      if (signal.aborted) return;
      problem = error.message;
      log({ err: error.message }, "the session with the gateway ended");
      failures = performance.now() - began > GOOD_AFTER_MS ? 0 : failures + 1;
      const grown = failures === 0 ? 0 : Math.min(PAUSE_MOST_MS, PAUSE_MS * 2 ** Math.min(failures - 1, 10));
      const ms = (refused === undefined ? grown : REFUSED_MS) * (0.5 + random());
      await pause(ms, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async function end(): Promise<void> {
    stopping.abort();
    problem = "it is being disconnected";
    await Promise.all(links.map((one) => (one.isBound ? one.unbind() : one.close(new Error("stopped")))));
    await running;
    [running, ending, refused] = [undefined, undefined, undefined];
  }

  return {
    start() {
      if (running) return;
      stopping = new AbortController();
      running = run(stopping.signal);
    },
    async stop(withinMs) {
      if (!running) return;
      ending ??= end();
      const cut = () => {
        for (const one of links) one.close(new Error("the session is not this process's any more"));
      };
      const timer = withinMs === undefined ? undefined : setTimeout(cut, withinMs);
      await ending;
      clearTimeout(timer);
    },
    transmitter() {
      const one = links.at(-1);
      return one?.isBound && !stopping.signal.aborted && problem === undefined ? one : undefined;
    },
    refused: () => refused,
    problem: () => problem,
  };
}
