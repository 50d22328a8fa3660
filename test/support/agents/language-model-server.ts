import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** What the stand-in does with one request. */
export type Behavior =
  /**
   * A good answer, streamed word by word, each word `everyMs` after the one before it. `toolCalls` take any name and any text as arguments:
   * it may lie. `thoughts` come first, as models that reason stream them.
   */
  | {
      kind: "answer";
      text?: string;
      toolCalls?: { name: string; args: string }[];
      finish?: string;
      everyMs?: number;
      thoughts?: string;
    }
  /** An error response; `body` is OpenAI's error object by default. */
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** One thing for answers to a contact, another for what is to be JSON: either may be requested first. */
  | { kind: "by_purpose"; answer: Behavior; json: Behavior }
  /** What is drawn for each request, by its body. */
  | { kind: "drawn"; next: (body: Record<string, unknown>) => Behavior }
  /** Resets the connection before it answers anything. */
  | { kind: "reset" }
  /** Does it once the promise is kept. */
  | { kind: "wait"; for: Promise<unknown>; next: Behavior }
  /** Takes the request and never answers, or answers the head, or some words, and nothing more. */
  | { kind: "stall"; afterHead?: boolean; afterText?: string }
  /** Streams tokens for ever, as fast as they are taken; or one line without an end. */
  | { kind: "endless"; token?: string; withoutLineEnd?: boolean }
  /** These events as they stand, then the end. */
  | { kind: "events"; events: readonly string[] }
  /** Half an answer, then the connection is cut. */
  | { kind: "close_early"; text: string; cleanly?: boolean };

export type ReceivedRequest = {
  path: string;
  authorization: string | undefined;
  /** The parsed body: `model`, `messages`, `tools`, `response_format`, ... */
  body: Record<string, unknown>;
};

export type LanguageModelServer = {
  /** With `/v1`: what goes into PARLEY_LLM_BASE_URL. */
  url: string;
  requests: ReceivedRequest[];
  /** For the coming requests, in order; the last one stays. */
  behave(...behaviors: [Behavior, ...Behavior[]]): void;
  /** Connections that are open now: a client that gave up leaves none. */
  openStreams(): number;
  close(): Promise<void>;
};

/** A stand-in for any provider: OpenAI's chat completions with SSE streaming, on loopback, which can misbehave. */
export async function startLanguageModelServer(): Promise<LanguageModelServer> {
  const requests: ReceivedRequest[] = [];
  const streams = new Set<ServerResponse>();
  let behaviors: Behavior[] = [{ kind: "answer", text: "Hello!" }];

  const server = createServer(async (request, response) => {
    streams.add(response);
    response.on("close", () => streams.delete(response));
    response.on("error", () => {});
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    requests.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
    const behavior = behaviors.length > 1 ? behaviors.shift()! : behaviors[0]!;
    await perform(behavior, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    behave: (...next) => {
      behaviors = next;
    },
    openStreams: () => streams.size,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

const chunk = (delta: unknown, more: object = {}): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "stand-in",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });

const USAGE = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "stand-in",
  choices: [],
  usage: { prompt_tokens: 42, completion_tokens: 7, total_tokens: 49 },
});

const sse = (data: string): string => `data: ${data}\n\n`;

async function perform(behavior: Behavior, response: ServerResponse, body: ReceivedRequest["body"]): Promise<void> {
  if (behavior.kind === "by_purpose") {
    return perform(body.response_format === undefined ? behavior.answer : behavior.json, response, body);
  }
  if (behavior.kind === "drawn") return perform(behavior.next(body), response, body);
  if (behavior.kind === "wait") {
    await behavior.for;
    return perform(behavior.next, response, body);
  }
  if (behavior.kind === "reset") {
    (response.socket as Socket | null)?.resetAndDestroy();
    return;
  }
  if (behavior.kind === "status") {
    response.writeHead(behavior.status, { "content-type": "application/json", ...behavior.headers });
    response.end(
      behavior.body ?? JSON.stringify({ error: { message: "stand-in says no", type: "error", code: "no" } }),
    );
    return;
  }
  if (behavior.kind === "stall" && !behavior.afterHead && behavior.afterText === undefined) return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  switch (behavior.kind) {
    case "stall":
      if (behavior.afterText !== undefined)
        response.write(sse(chunk({ role: "assistant", content: behavior.afterText })));
      return;
    case "events":
      response.end(behavior.events.map(sse).join(""));
      return;
    case "close_early":
      response.write(sse(chunk({ role: "assistant", content: behavior.text })), () =>
        behavior.cleanly ? response.end() : response.destroy(),
      );
      return;
    case "endless":
      return flood(behavior, response);
    case "answer":
      return answer(behavior, response);
  }
}

async function answer(
  { text = "", toolCalls = [], finish, everyMs, thoughts = "" }: Extract<Behavior, { kind: "answer" }>,
  response: ServerResponse,
): Promise<void> {
  response.write(sse(chunk({ role: "assistant", content: "" })));
  const words = (of: string) => of.match(/\S+\s*|\s+/g) ?? [];
  const deltas = [
    ...words(thoughts).map((word) => ({ reasoning_content: word })),
    ...words(text).map((word) => ({ content: word })),
  ];
  for (const delta of deltas) {
    if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (response.destroyed) return;
    response.write(sse(chunk(delta)));
  }
  for (const [index, { name, args }] of toolCalls.entries()) {
    const head = { index, id: `call_${index}`, type: "function", function: { name, arguments: "" } };
    response.write(sse(chunk({ tool_calls: [head] })));
    for (const part of args.match(/[\s\S]{1,16}/g) ?? []) {
      response.write(sse(chunk({ tool_calls: [{ index, function: { arguments: part } }] })));
    }
  }
  const reason = finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
  response.write(sse(chunk({}, { finish_reason: reason })));
  response.write(sse(USAGE));
  response.end(sse("[DONE]"));
}

async function flood(
  { token = "word ", withoutLineEnd }: Extract<Behavior, { kind: "endless" }>,
  response: ServerResponse,
): Promise<void> {
  if (withoutLineEnd) response.write("data: ");
  const block = withoutLineEnd ? "x".repeat(65_536) : sse(chunk({ content: token })).repeat(64);
  while (!response.destroyed) {
    if (response.write(block)) await new Promise((resolve) => setImmediate(resolve));
    else await drained(response);
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
