import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { EventKind, LoggedEvent } from "#contract/system/events.ts";
import { call } from "./client.ts";
import { ApiError } from "./error.ts";
import { onOtherSession } from "./session.ts";
import { refreshAll, refreshStale } from "./stale.ts";
import { STALE_BY_KIND } from "./stale-by-kind.ts";
import type { LiveState, StreamMessage } from "./stream.ts";
import { type Link, openLink } from "./stream-link.ts";
// A file of the build: the page's policy runs nothing else.
import workerUrl from "./stream-worker.ts?sharedworker&url";

export type { EventKind, LiveState, LoggedEvent };
/** The event of one kind, or of one of several. */
export type EventOf<Kind extends EventKind> = Extract<LoggedEvent, { kind: Kind }>;

/** Pages come and go in steps: what they need is looked at once they are there. */
const WIDEN_AFTER_MS = 100;
/** A session of which it is not known whether it is over is asked for again. */
const ASK_AGAIN_MS = 3_000;

const KINDS = Object.keys(STALE_BY_KIND) as EventKind[];
const handlers = new Map<EventKind, Set<(event: LoggedEvent) => void>>();
const watchers = new Set<() => void>();

let state: LiveState = "reconnecting";
/** Looks whether what is shown needs other events than the stream brings. */
let widen = () => {};

/** Has what is shown follow the one stream of events that all tabs share. Returns what ends it. */
export function startLive(client: QueryClient, sessionId: string): () => void {
  let heard = new Set(neededKinds(client));
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: ReturnType<typeof setTimeout> | undefined;
  let link: Link | undefined;

  const hear = (message: StreamMessage) => {
    if (isClosed) return;
    if (message.type === "events") take(client, message.events);
    else if (message.type === "state") setState(message.state);
    else if (message.type === "stale") refreshAll(client, message.kinds);
    else void askWhose();
  };
  const join = () => {
    link?.close();
    link = openLink(sessionId, workerUrl, hear);
    link.want(heard);
  };
  /** The session is over, or somebody signed in anew in another tab: what is shown here is the former's. */
  const askWhose = async () => {
    clearTimeout(asking);
    const session = { queryKey: ["session", "of the stream"], queryFn: () => call("GET /v1/session"), retry: false };
    try {
      const found = await client.fetchQuery({ ...session, staleTime: 0 });
      if (isClosed) return;
      if (found.session.session_id !== sessionId) location.reload();
      else asking = setTimeout(join, ASK_AGAIN_MS);
    } catch (error) {
      // Of a session that is over the page is left.
      const isOver = error instanceof ApiError && error.status === 401;
      if (!isClosed && !isOver) asking = setTimeout(askWhose, ASK_AGAIN_MS);
    }
  };

  widen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const needed = neededKinds(client);
      if (needed.every((kind) => heard.has(kind))) return;
      heard = new Set(needed);
      link?.want(heard);
    }, WIDEN_AFTER_MS);
  };
  const unsubscribe = client.getQueryCache().subscribe(({ type }) => type === "observerAdded" && widen());
  const stopWatching = onOtherSession(sessionId, () => void askWhose());
  join();
  return () => {
    isClosed = true;
    unsubscribe();
    stopWatching();
    clearTimeout(timer);
    clearTimeout(asking);
    link?.close();
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

function take(client: QueryClient, events: readonly LoggedEvent[]): void {
  refreshStale(client, events);
  for (const event of events) for (const handle of handlers.get(event.kind) ?? []) handle(event);
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
