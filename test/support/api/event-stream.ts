import type { LoggedEvent } from "#contract/system/events.ts";
import type { Parley } from "./parley.ts";

export type Stream = {
  status: number;
  headers: Headers;
  /** The events so far, in the order in which they came. */
  events: LoggedEvent[];
  /** What else has come: `reset` with its data, and ids without an event. */
  resets: { after: number; oldest: number; head: number }[];
  lastId: string;
  /** Of an answer that is no stream. */
  body: string;
  /** Resolves when the service has ended it, or it was cut: to whether it came to its end. */
  over: Promise<boolean>;
  stop(): Promise<void>;
};

/** Follows the log of events, as a browser would: all that comes is kept. `headers` in place of the client's own key. */
export async function follow(
  api: Pick<Parley, "url" | "key">,
  query = "",
  headers: Record<string, string> = { "x-api-key": api.key },
): Promise<Stream> {
  const stopping = new AbortController();
  const response = await fetch(`${api.url}/v1/events/stream${query}`, { headers, signal: stopping.signal });
  const stream: Stream = {
    status: response.status,
    headers: response.headers,
    events: [],
    resets: [],
    lastId: "",
    body: "",
    over: Promise.resolve(false),
    stop: async () => {
      stopping.abort();
      await stream.over;
    },
  };
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    stream.body = await response.text();
    return stream;
  }
  let rest = "";
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) take(stream, block);
    }
  };
  stream.over = read().then(
    () => true,
    () => false,
  );
  return stream;
}

function take(stream: Stream, block: string): void {
  const fields = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    }),
  );
  stream.lastId = fields.get("id") ?? stream.lastId;
  const data = fields.get("data");
  if (data === undefined) return;
  if (fields.get("event") === "reset") stream.resets.push(JSON.parse(data));
  else stream.events.push(JSON.parse(data));
}
