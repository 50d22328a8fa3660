import type { EventKind } from "#contract/system/events.ts";
import { openStream, type StreamMessage } from "./stream.ts";
import { type FromWorker, sessionOf, type ToWorker } from "./stream-link.ts";

// The one stream of a browser, for all of its tabs of one session: a browser has six connections to a host, and each stream takes one. Its name
// says whose session it is, so that tabs of another session have another worker.

/** What TypeScript's library for pages does not know of a shared worker. */
type Scope = { name: string; onconnect: ((event: MessageEvent) => void) | null };

/** A tab in the background says something once a minute; one that crashed says nothing any more. */
const SILENT_FOR_MS = 210_000;
const LOOK_EVERY_MS = 60_000;

type Tab = { kinds: ReadonlySet<EventKind>; heardAt: number };

const scope = globalThis as unknown as Scope;
const tabs = new Map<MessagePort, Tab>();

const send = (port: MessagePort, message: FromWorker) => port.postMessage(message);

/** What is over is opened again for who asks anew, and not for who leaves. */
let isOver = false;

const stream = openStream(sessionOf(scope.name), (message) => {
  if (message.type === "over") isOver = true;
  for (const [port, { kinds }] of tabs) pass(port, message, kinds);
});

/** Passes on what is for a tab that shows these kinds. */
function pass(port: MessagePort, message: StreamMessage, kinds: ReadonlySet<EventKind>): void {
  if (message.type === "events") {
    const events = message.events.filter(({ kind }) => kinds.has(kind));
    if (events.length > 0) send(port, { type: "events", events });
  } else if (message.type !== "stale" || message.kinds === undefined || message.kinds.some((kind) => kinds.has(kind))) {
    send(port, message);
  }
}

const wantAll = () => {
  if (!isOver) stream.want(new Set([...tabs.values()].flatMap(({ kinds }) => [...kinds])));
};

scope.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "bye") {
      tabs.delete(port);
      return wantAll();
    }
    const known = tabs.get(port);
    const kinds = data.type === "want" ? new Set(data.kinds) : (known?.kinds ?? new Set<EventKind>());
    tabs.set(port, { kinds, heardAt: Date.now() });
    send(port, { type: "here" });
    if (known === undefined) send(port, { type: "state", state: stream.state() });
    if (data.type !== "want") return;
    isOver = false;
    wantAll();
  };
};

setInterval(() => {
  for (const [port, { heardAt }] of tabs) if (Date.now() - heardAt > SILENT_FOR_MS) tabs.delete(port);
  wantAll();
}, LOOK_EVERY_MS);
