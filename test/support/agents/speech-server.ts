import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { assemblyAiListens, deepgramListens, openAiListens } from "./speech-server-transcripts.ts";
import { cartesiaSpeaks, deepgramSpeaks, elevenLabsSpeaks, openAiSpeaks } from "./speech-server-voices.ts";

/** What the stand-in does with one request or connection. */
export type SpeechBehavior =
  /** As documented. `pauseMs`: between two pieces of sound; `pieces`: how many. */
  | { kind: "good"; pauseMs?: number; pieces?: number }
  /** An error answer, or a refused handshake. */
  | { kind: "status"; status: number; body?: string }
  /** Takes the request and never answers; or, once it has begun, sends nothing more. */
  | { kind: "stall"; begun?: boolean }
  /** Cuts the connection: at once, or in the middle of the sound; speech-to-text after so many words. */
  | { kind: "drop"; begun?: boolean; afterWords?: number }
  /** Answers in good form what is none: a page of HTML, broken JSON. */
  | { kind: "garbage" }
  /** Sound without an end, as fast as it is taken. */
  | { kind: "endless" }
  /** Speech-to-text that never answers a Finalize. */
  | { kind: "deaf"; toFinalizeOnly?: boolean };

export type SpeechRequest = {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
};

export type SpeechServer = {
  /** Without a path: the providers' own lie under it. */
  url: string;
  /** HTTP requests and handshakes, in order. */
  requests: SpeechRequest[];
  /** Text messages of all WebSockets, parsed, in order. */
  messages: Record<string, unknown>[];
  /** For the coming requests and connections, in order; the last one stays. */
  behave(...behaviors: [SpeechBehavior, ...SpeechBehavior[]]): void;
  /** Connections that are open now: a client that gave up leaves none. */
  openConnections(): number;
  close(): Promise<void>;
};

/** The key that it takes; every other is answered 401. */
export const SPEECH_KEY = "the-right-key-of-the-test";

/**
 * A stand-in for Deepgram, OpenAI-compatible servers, ElevenLabs, Cartesia and AssemblyAI on loopback, by the protocols that their pages document
 * (named in the adapters), which can misbehave.
 */
export async function startSpeechServer(): Promise<SpeechServer> {
  const requests: SpeechRequest[] = [];
  const messages: Record<string, unknown>[] = [];
  const sockets = new Set<Socket>();
  const streams = new Set<ServerResponse | WebSocket>();
  let behaviors: SpeechBehavior[] = [{ kind: "good" }];
  const next = () => (behaviors.length > 1 ? behaviors.shift()! : behaviors[0]!);
  const track = (stream: ServerResponse | WebSocket) => {
    streams.add(stream);
    stream.on("close", () => streams.delete(stream));
    stream.on("error", () => {});
  };

  const server = createServer(async (request, response) => {
    track(response);
    const record = { ...described(request), body: await bodyOf(request) };
    requests.push(record);
    const behavior = next();
    if (!hasKey(request))
      return refuse(response, 401, '{"err_code":"INVALID_AUTH","detail":{"status":"invalid_api_key"}}');
    if (behavior.kind === "status") return refuse(response, behavior.status, behavior.body);
    if (behavior.kind === "drop" && !behavior.begun) return void response.destroy();
    if (behavior.kind === "stall" && !behavior.begun) return;
    if (behavior.kind === "garbage") {
      response.writeHead(200, { "content-type": "text/html" });
      return void response.end("<html>Bad gateway</html>");
    }
    const { pathname } = new URL(record.path, "http://stand-in");
    if (pathname === "/v1/speak") return deepgramSpeaks(record, response, behavior);
    if (pathname === "/v1/audio/speech") return openAiSpeaks(record, response, behavior);
    if (pathname === "/v1/audio/transcriptions") return openAiListens(record, response);
    if (/^\/v1\/text-to-speech\/\w+\/stream\/with-timestamps$/.test(pathname)) {
      return elevenLabsSpeaks(record, response, behavior);
    }
    refuse(response, 404);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  const webSockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket: Socket, head) => {
    requests.push({ ...described(request), body: Buffer.alloc(0) });
    const behavior = next();
    const status = hasKey(request) ? (behavior.kind === "status" ? behavior.status : undefined) : 401;
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n`);
    if (behavior.kind === "stall" && !behavior.begun) return;
    if (behavior.kind === "drop" && !behavior.begun && behavior.afterWords === undefined) return void socket.destroy();
    webSockets.handleUpgrade(request, socket, head, (client) => {
      track(client);
      client.on("message", (data, isBinary) => {
        if (!isBinary) messages.push(JSON.parse(String(data)) as Record<string, unknown>);
      });
      if (behavior.kind === "garbage") {
        client.send("this is no JSON");
        client.send(Buffer.from([1, 2, 3]));
        client.send('{"type":"Results","channel":7,"is_final":"yes"}');
        client.send("[null]");
      }
      const { pathname, searchParams } = new URL(request.url!, "http://stand-in");
      const sampleRate = Number(searchParams.get("sample_rate"));
      if (pathname === "/v1/listen") deepgramListens(client, behavior, sampleRate);
      else if (pathname === "/v3/ws") assemblyAiListens(client, behavior, sampleRate);
      else cartesiaSpeaks(client, behavior);
    });
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    messages,
    behave: (...following) => {
      behaviors = following;
    },
    openConnections: () => streams.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const described = (request: IncomingMessage): Omit<SpeechRequest, "body"> => ({
  method: request.method ?? "",
  path: request.url ?? "",
  headers: request.headers,
});

/** Each provider has its own place for it. */
function hasKey({ headers }: IncomingMessage): boolean {
  return [`Token ${SPEECH_KEY}`, `Bearer ${SPEECH_KEY}`, SPEECH_KEY].includes(
    String(headers.authorization ?? headers["xi-api-key"] ?? headers["x-api-key"]),
  );
}

function refuse(
  response: ServerResponse,
  status: number,
  body = '{"error":{"message":"no","code":"no_such_luck"}}',
): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
