import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";

type StreamMessage = { type: string; events?: readonly { seq: number }[]; kinds?: readonly string[] };
type Stream = { want(kinds: ReadonlySet<string>): void; close(): void };
type Open = (sessionId: string, receive: (message: StreamMessage) => void) => Stream;

// By its address: the console's types are those of a browser.
const address = new URL("../../console/src/api/stream.ts", import.meta.url).href;
const { openStream } = (await import(address)) as { openStream: Open };

const [ANN, BO] = ["ses_ann", "ses_bo"];
/** What comes so soon after an event is passed on together. */
const TOGETHER_MS = 100;
const KINDS = new Set(["do_not_call.changed", "agent.updated"]);

/** Stands in for a browser's EventSource: the test decides what comes over it. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.all.push(this);
  }
  opens(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  brings(seq: number): void {
    const data = JSON.stringify({ seq, kind: "do_not_call.changed" });
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  /** The browser tries again by itself, unless it was refused. */
  breaks(isRefused = false): void {
    this.readyState = isRefused ? FakeSource.CLOSED : 0;
    this.dispatchEvent(new Event("error"));
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
}

/** The session of the browser's cookie; null is none, undefined means the API cannot be reached. */
type Cookie = { of: string | null | undefined };

function aStream(t: TestContext) {
  const cookie: Cookie = { of: ANN };
  const globals = { fetch: globalThis.fetch, EventSource: (globalThis as { EventSource?: unknown }).EventSource };
  t.after(() => Object.assign(globalThis, globals));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  FakeSource.all = [];
  Object.assign(globalThis, {
    EventSource: FakeSource,
    fetch: async () => {
      if (cookie.of === undefined) throw new TypeError("no network");
      if (cookie.of === null) return new Response("{}", { status: 401 });
      return Response.json({ session: { session_id: cookie.of } });
    },
  });
  const received: StreamMessage[] = [];
  const stream = openStream(ANN, (message) => received.push(message));
  stream.want(KINDS);
  const seqs = () => {
    t.mock.timers.tick(TOGETHER_MS);
    return received.flatMap(({ events = [] }) => events.map(({ seq }) => seq));
  };
  return { cookie, received, stream, seqs };
}

const source = (): FakeSource => FakeSource.all.at(-1)!;
/** Until pending requests are answered. */
const answered = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

test("no event is passed on before it is known whose the stream is", async (t) => {
  const { seqs } = aStream(t);
  source().opens();
  source().brings(1);
  assert.deepEqual(seqs(), []);
  await answered();
  source().brings(2);
  assert.deepEqual(seqs(), [1, 2]);
});

test("events that come by the cookie of somebody who signed in meanwhile are never passed on", async (t) => {
  const { cookie, seqs, received } = aStream(t);
  source().opens();
  await answered();
  source().brings(1);
  source().breaks();
  cookie.of = BO;
  source().opens();
  source().brings(2);
  await answered();
  source().brings(3);

  assert.deepEqual(seqs(), [1]);
  assert.equal(received.at(-1)!.type, "over");
  assert.equal(source().readyState, FakeSource.CLOSED);
});

test("events that came before a connection broke are passed on once it is known whose they were", async (t) => {
  const { seqs } = aStream(t);
  source().opens();
  source().brings(1);
  source().breaks();
  await answered();
  assert.deepEqual(seqs(), []);
  source().opens();
  await answered();
  source().brings(2);
  assert.deepEqual(seqs(), [1, 2]);
});

test("a stream that is refused is opened again after the last event passed on, unless the session is over", async (t) => {
  const { cookie, received, seqs } = aStream(t);
  source().opens();
  await answered();
  source().brings(7);
  source().breaks(true);
  cookie.of = undefined;
  t.mock.timers.tick(3_000);
  await answered();
  assert.equal(FakeSource.all.length, 1, "nobody knows");
  cookie.of = ANN;
  t.mock.timers.tick(3_000);
  await answered();
  assert.match(source().url, /after=7$/);
  source().opens();
  await answered();
  source().brings(7);
  source().brings(8);
  assert.deepEqual(seqs(), [7, 8], "each once");

  source().breaks(true);
  cookie.of = null;
  t.mock.timers.tick(3_000);
  await answered();
  assert.equal(received.at(-1)!.type, "over");
  assert.equal(FakeSource.all.length, 2);
});

test("more kinds are asked for by a second stream, and the first goes on until that is open", async (t) => {
  const { stream, seqs, received } = aStream(t);
  source().opens();
  await answered();
  const first = source();
  stream.want(new Set([...KINDS, "contact.opted_out"]));
  assert.equal(FakeSource.all.length, 2);
  first.brings(1);
  source().opens();
  source().brings(1);
  source().brings(2);
  await answered();

  assert.deepEqual(seqs(), [1, 2]);
  assert.equal(first.readyState, FakeSource.CLOSED);
  assert.deepEqual(
    received.filter(({ type }) => type === "stale"),
    [{ type: "stale", kinds: ["contact.opted_out"] }],
  );
  stream.want(new Set(["agent.updated"]));
  assert.equal(FakeSource.all.length, 2, "fewer need no other");
  stream.want(new Set());
  assert.equal(source().readyState, FakeSource.CLOSED, "none need none");
});

test("an event is passed on at once, those that follow soon together, and none after what came later", async (t) => {
  const { received, stream } = aStream(t);
  source().opens();
  await answered();
  const passed = () => received.flatMap(({ events }) => (events ? [events.map(({ seq }) => seq)] : []));
  source().brings(1);
  assert.deepEqual(passed(), [[1]]);
  source().brings(2);
  source().brings(3);
  assert.deepEqual(passed(), [[1]]);
  t.mock.timers.tick(TOGETHER_MS);
  assert.deepEqual(passed(), [[1], [2, 3]]);
  source().brings(4);
  source().breaks();
  assert.deepEqual(passed(), [[1], [2, 3], [4]]);
  assert.deepEqual(received.at(-1), { type: "state", state: "reconnecting" });

  source().opens();
  await answered();
  source().brings(5);
  source().brings(6);
  stream.close();
  t.mock.timers.tick(TOGETHER_MS);
  assert.deepEqual(passed().at(-1), [5], "whoever closes a stream hears no more of it");
});
