import type { EventKind } from "#contract/system/events.ts";
import { openStream, type Stream, type StreamMessage } from "./stream.ts";

/** What a tab says to the worker that has the stream: `bye` when it is hidden for good, and now and then whether it is there. */
export type ToWorker = { type: "want"; kinds: readonly EventKind[] } | { type: "there" } | { type: "bye" };

/** What it gets back: `here` is the answer to anything that it says. */
export type FromWorker = StreamMessage | { type: "here" };

const NAME = "parley events of ";
const nameOf = (sessionId: string): string => NAME + sessionId;
export const sessionOf = (name: string): string => name.slice(NAME.length);

/** A worker that has not answered by the next time is gone, and another is made. */
const ASK_EVERY_MS = 10_000;

export type Link = Pick<Stream, "want" | "close">;

/**
 * The tab's way to the one stream of this browser: a shared worker that all tabs of the session have in common. Where a browser has none
 * (Chrome on Android), or the worker cannot be had, the stream is the tab's own.
 */
export function openLink(sessionId: string, workerUrl: string, on: (message: StreamMessage) => void): Link {
  let wanted: ReadonlySet<EventKind> = new Set();
  let own: Stream | undefined;
  let port: MessagePort | undefined;
  let isAwaited = false;

  const ask = (message: ToWorker) => port?.postMessage(message);
  const openOwn = () => {
    leave();
    own = openStream(sessionId, on);
    own.want(wanted);
  };
  const join = () => {
    if (typeof SharedWorker === "undefined") return openOwn();
    const worker = new SharedWorker(workerUrl, { name: nameOf(sessionId), type: "module" });
    const opened = worker.port;
    port = opened;
    isAwaited = false;
    worker.onerror = () => {
      if (port === opened) openOwn();
    };
    opened.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (port !== opened) return;
      isAwaited = false;
      if (data.type !== "here") on(data);
    };
    ask({ type: "want", kinds: [...wanted] });
  };
  const leave = () => {
    ask({ type: "bye" });
    port?.close();
    port = undefined;
    own?.close();
    own = undefined;
  };
  const look = () => {
    if (port === undefined) return;
    if (!isAwaited) {
      isAwaited = true;
      return ask({ type: "there" });
    }
    // The worker was ended: which events it would have sent is not known.
    on({ type: "state", state: "reconnecting" });
    leave();
    join();
    on({ type: "stale" });
  };
  const hide = () => leave();
  const show = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    leave();
    join();
    on({ type: "stale" });
  };

  join();
  const looking = setInterval(look, ASK_EVERY_MS);
  addEventListener("pagehide", hide);
  addEventListener("pageshow", show);
  return {
    want(kinds) {
      wanted = kinds;
      own?.want(kinds);
      ask({ type: "want", kinds: [...kinds] });
    },
    close() {
      clearInterval(looking);
      removeEventListener("pagehide", hide);
      removeEventListener("pageshow", show);
      leave();
    },
  };
}
