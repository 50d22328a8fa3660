import type { EventKind, LoggedEvent } from "#contract/system/events.ts";
import { pathOf } from "./client.ts";

export type LiveState = "live" | "reconnecting";

/** What a stream says. `stale`: what is shown of these kinds, or of all, may be old. `over`: the session is, or another has begun: nothing more comes until something is wanted anew. */
export type StreamMessage =
  | { type: "state"; state: LiveState }
  | { type: "events"; events: readonly LoggedEvent[] }
  | { type: "stale"; kinds?: readonly EventKind[] }
  | { type: "over" };

export type Stream = {
  /** Has it bring these kinds; none closes it. One that brings more is left as it is. */
  want(kinds: ReadonlySet<EventKind>): void;
  state(): LiveState;
  close(): void;
};

/** The browser itself tries again after some seconds; when it has given up, we do. */
const REOPEN_AFTER_MS = 3_000;
/** A campaign makes hundreds of events a second: the first is passed on at once, those that come so soon after it together. */
const TOGETHER_MS = 100;
/** While one stream follows another both bring the same: an event that is among these is not sent again. */
const REMEMBERED = 1_000;

/**
 * The stream of events of one session, in a tab or in the worker that all tabs share. Nothing is sent before it is certain that the browser's
 * cookie was this session's when the stream was opened: somebody else may have signed in meanwhile.
 */
export function openStream(sessionId: string, on: (message: StreamMessage) => void): Stream {
  const message = new Set<number>();
  let state: LiveState = "reconnecting";
  let current: Connection | undefined;
  let next: Connection | undefined;
  let wanted: ReadonlySet<EventKind> = new Set();
  let lastSeq: number | undefined;
  let hadGap = false;
  let isClosed = false;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let held: LoggedEvent[] = [];
  let passing: ReturnType<typeof setTimeout> | undefined;

  const pass = () => {
    clearTimeout(passing);
    passing = undefined;
    if (held.length === 0 || isClosed) return;
    const events = held;
    held = [];
    on({ type: "events", events });
    passing = setTimeout(pass, TOGETHER_MS);
  };
  /** After the events that came before it. */
  const send = (message: StreamMessage) => {
    pass();
    on(message);
  };
  const setState = (to: LiveState) => {
    if (to !== state) send({ type: "state", state: to });
    state = to;
  };
  const close = () => {
    clearTimeout(reopening);
    current?.close();
    next?.close();
    current = undefined;
    next = undefined;
    setState("reconnecting");
  };
  const end = () => {
    wanted = new Set();
    close();
    send({ type: "over" });
  };

  const take = (event: LoggedEvent) => {
    if (message.has(event.seq)) return;
    message.add(event.seq);
    for (const oldest of message) if (message.size > REMEMBERED) message.delete(oldest);
    lastSeq = Math.max(lastSeq ?? 0, event.seq);
    held.push(event);
    if (passing === undefined) pass();
  };

  const open = () => {
    clearTimeout(reopening);
    next?.close();
    const kinds = wanted;
    const after = lastSeq;
    const connection: Connection = connect(sessionId, kinds, after, {
      ready() {
        // The one before has brought what happened until now.
        const fresh = [...kinds].filter((kind) => !current?.kinds.has(kind));
        const isFirst = current === undefined && !hadGap;
        if (connection !== current) current?.close();
        current = connection;
        next = undefined;
        setState("live");
        // Before the first event nobody knows where it has begun, and so what was missed.
        if (after === undefined && hadGap) send({ type: "stale" });
        else if (after === undefined && !isFirst && fresh.length > 0) send({ type: "stale", kinds: fresh });
        hadGap = false;
      },
      event: take,
      // What lies between is not kept any more: everything shown may be old.
      reset(head) {
        lastSeq = head;
        send({ type: "stale" });
      },
      lost(isClosed) {
        if (connection === current) {
          hadGap = true;
          setState("reconnecting");
        }
        if (!isClosed) return;
        if (connection === current) current = undefined;
        if (connection === next) next = undefined;
        clearTimeout(reopening);
        reopening = setTimeout(reopen, REOPEN_AFTER_MS);
      },
      over: end,
    });
    next = connection;
  };

  /** A stream does not say why it was refused. */
  const reopen = async () => {
    const whose = await signedIn();
    if (isClosed || wanted.size === 0 || next !== undefined) return;
    if (whose === "unknown") reopening = setTimeout(reopen, REOPEN_AFTER_MS);
    else if (whose !== sessionId) end();
    else open();
  };

  return {
    want(kinds) {
      if (isClosed) return;
      wanted = kinds;
      if (kinds.size === 0) return close();
      const brings = next ?? current;
      if (brings === undefined || [...kinds].some((kind) => !brings.kinds.has(kind))) open();
    },
    state: () => state,
    close() {
      isClosed = true;
      close();
      clearTimeout(passing);
    },
  };
}

type Connection = { kinds: ReadonlySet<EventKind>; close(): void };

function connect(
  sessionId: string,
  kinds: ReadonlySet<EventKind>,
  after: number | undefined,
  on: {
    ready(): void;
    event(event: LoggedEvent): void;
    reset(head: number): void;
    lost(isClosed: boolean): void;
    over(): void;
  },
): Connection {
  // Our own reopening has no Last-Event-ID: `after` says the same.
  const query = { kinds: [...kinds].join(), ...(after === undefined ? {} : { after }) };
  const source = new EventSource(pathOf("GET /v1/events/stream", { query }));
  let opened = 0;
  /** What came before it was known whose it is. */
  let waiting: (() => void)[] | undefined = [];

  const identify = async () => {
    const asked = ++opened;
    const whose = await signedIn();
    if (asked !== opened || source.readyState === EventSource.CLOSED) return;
    if (whose === "unknown") return void setTimeout(() => asked === opened && identify(), REOPEN_AFTER_MS);
    if (whose !== sessionId) {
      source.close();
      return on.over();
    }
    const held = waiting ?? [];
    waiting = undefined;
    on.ready();
    for (const say of held) say();
  };
  const once = (say: () => void) => (waiting === undefined ? say() : waiting.push(say));

  source.addEventListener("open", identify);
  source.addEventListener("error", () => {
    opened++;
    // What has come is not asked for again: it is sent once it is known whose it is.
    waiting ??= [];
    on.lost(source.readyState === EventSource.CLOSED);
  });
  source.addEventListener("message", ({ data }: MessageEvent<string>) => once(() => on.event(JSON.parse(data))));
  source.addEventListener("reset", ({ data }: MessageEvent<string>) => once(() => on.reset(JSON.parse(data).head)));
  return {
    kinds,
    close() {
      opened++;
      source.close();
    },
  };
}

/** The session of the browser's cookie, now: a cookie that was replaced never comes back. */
async function signedIn(): Promise<string | "nobody" | "unknown"> {
  try {
    const response = await fetch(pathOf("GET /v1/session"), { credentials: "same-origin" });
    if (response.status === 401) return "nobody";
    if (!response.ok) return "unknown";
    return ((await response.json()) as { session: { session_id: string } }).session.session_id;
  } catch {
    return "unknown";
  }
}
