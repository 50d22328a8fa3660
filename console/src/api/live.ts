import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { EventKind, LoggedEvent } from "#contract/events.ts";
import { call, pathOf } from "./client.ts";
import { refreshStale } from "./stale.ts";
import { STALE_BY_KIND } from "./stale-by-kind.ts";

export type { EventKind, LoggedEvent };
/** The event of one kind, or of one of several. */
export type EventOf<Kind extends EventKind> = Extract<LoggedEvent, { kind: Kind }>;
export type LiveState = "live" | "reconnecting";

/** The browser itself tries again after some seconds; when it has given up, we do. */
const REOPEN_AFTER_MS = 3_000;

/** Pages come and go in steps: what they need is looked at once they are there. */
const WIDEN_AFTER_MS = 100;

const KINDS = Object.keys(STALE_BY_KIND) as EventKind[];
const handlers = new Map<EventKind, Set<(event: LoggedEvent) => void>>();
const watchers = new Set<() => void>();

let state: LiveState = "reconnecting";
let lastSeq: number | undefined;
/** Looks whether what is shown needs other events than the stream brings. */
let widen = () => {};

/** Opens the one stream of events that all pages share. Returns what closes it. */
export function startLive(client: QueryClient): () => void {
  let isClosed = false;
  let wasOpen = false;
  let source: EventSource | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let widening: ReturnType<typeof setTimeout> | undefined;
  let heard = new Set<EventKind>();

  const open = () => {
    if (isClosed) return;
    // Our own reopening has no Last-Event-ID: `after` says the same.
    heard = new Set(neededKinds(client));
    const query = { kinds: [...heard].join(), ...(lastSeq === undefined ? {} : { after: lastSeq }) };
    const stream = new EventSource(pathOf("GET /v1/events/stream", { query }));
    source = stream;
    stream.addEventListener("open", () => {
      setState("live");
      // Before the first event nobody knows what was missed meanwhile.
      if (wasOpen && lastSeq === undefined) void client.invalidateQueries();
      wasOpen = true;
    });
    stream.addEventListener("error", () => {
      setState("reconnecting");
      if (stream.readyState === EventSource.CLOSED) reopening = setTimeout(reopen, REOPEN_AFTER_MS);
    });
    stream.addEventListener("message", (message: MessageEvent<string>) => take(client, JSON.parse(message.data)));
    // What lies between is not kept any more: everything shown may be old.
    stream.addEventListener("reset", (message: MessageEvent<string>) => {
      lastSeq = (JSON.parse(message.data) as { head: number }).head;
      void client.invalidateQueries();
    });
  };

  /** A stream does not say why it was refused; when the session is over, this is how one is told. */
  const reopen = async () => {
    const session = { queryKey: ["session", "of the stream"], queryFn: () => call("GET /v1/session"), retry: false };
    try {
      await client.fetchQuery({ ...session, staleTime: 0 });
    } catch {
      if (!isClosed) reopening = setTimeout(reopen, REOPEN_AFTER_MS);
      return;
    }
    open();
  };

  widen = () => {
    clearTimeout(widening);
    widening = setTimeout(() => {
      if (neededKinds(client).every((kind) => heard.has(kind))) return;
      clearTimeout(reopening);
      source?.close();
      open();
    }, WIDEN_AFTER_MS);
  };
  const unsubscribe = client.getQueryCache().subscribe(({ type }) => type === "observerAdded" && widen());
  open();
  return () => {
    isClosed = true;
    unsubscribe();
    clearTimeout(widening);
    clearTimeout(reopening);
    source?.close();
    lastSeq = undefined;
    setState("reconnecting");
  };
}

/** A campaign makes hundreds of these a second: a page that shows nothing of them is spared them. */
const BUSY = /^(message|call|contact|thread|extraction)\./;

/** The kinds that make something stale which is shown, or that a page listens to; and all those of which there are few. */
function neededKinds(client: QueryClient): EventKind[] {
  const shown = new Set(
    client
      .getQueryCache()
      .findAll({ type: "active" })
      .map(({ queryKey }) => queryKey[0]),
  );
  return KINDS.filter(
    (kind) =>
      !BUSY.test(kind) || (handlers.get(kind)?.size ?? 0) > 0 || STALE_BY_KIND[kind].some((key) => shown.has(key)),
  );
}

function take(client: QueryClient, event: LoggedEvent): void {
  lastSeq = event.seq;
  refreshStale(client, event);
  for (const handle of handlers.get(event.kind) ?? []) handle(event);
}

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const changed of watchers) changed();
}

/** Whether what is shown follows what happens, or the stream is being opened again. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => state,
  );
}

/**
 * Hears events of these kinds while the component is shown. Most pages need none: what `useAnswer` and `usePages` have
 * shown is asked again by itself when an event makes it stale.
 */
export function useLive<Kind extends EventKind>(kinds: readonly Kind[], handle: (event: EventOf<Kind>) => void): void {
  const latest = useEffectEvent(handle as (event: LoggedEvent) => void);
  const names = kinds.join();
  useEffect(() => {
    const hear = (event: LoggedEvent) => latest(event);
    const wanted = names.split(",") as EventKind[];
    for (const kind of wanted) {
      const of = handlers.get(kind) ?? new Set();
      handlers.set(kind, of.add(hear));
    }
    widen();
    return () => {
      for (const kind of wanted) handlers.get(kind)?.delete(hear);
    };
  }, [names]);
}
