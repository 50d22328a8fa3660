import { WebSocket } from "ws";
import type { SpeechError } from "#ports/speech-to-text.ts";
import { failure, statusFailure, toSpeechError } from "./failure.ts";

/** A provider's message is a few words, or a second of sound in base64. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

export type Socket = {
  send(message: string | Uint8Array): void;
  /** Bytes that the network has not yet taken. */
  backlog(): number;
  /** Sends a last message and closes; `onClosed` is not called. */
  part(message: string): void;
  /** Frees the connection at once; `onClosed` is not called. */
  end(): void;
};

export type SocketRequest = {
  vendor: string;
  url: string;
  headers: Record<string, string>;
  connectMs: number;
  onText: (text: string) => void;
  /** The far end closed, or the connection broke. Called at most once. */
  onClosed: (error: SpeechError) => void;
};

/**
 * Opens a WebSocket. Rejects with SpeechError: the status when the handshake is refused, `timeout`, `aborted`, or the network's
 * code. Redirects are not followed. The signal ends it, before and after it is open.
 */
export function openSocket(request: SocketRequest, signal: AbortSignal): Promise<Socket> {
  const { vendor, connectMs, onText, onClosed } = request;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(failure(vendor, "aborted", true));
    const socket = new WebSocket(request.url.replace(/^http/, "ws"), {
      headers: request.headers,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    let isOver = false;
    const finish = (settle: () => void, leave = () => socket.terminate()) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(patience);
      signal.removeEventListener("abort", abort);
      leave();
      settle();
    };
    const fail = (error: SpeechError) => finish(() => (isOpen ? onClosed(error) : reject(error)));
    const abort = () => finish(() => isOpen || reject(failure(vendor, "aborted", true)));
    const patience = setTimeout(() => fail(failure(vendor, "timeout", true)), connectMs);
    let isOpen = false;
    signal.addEventListener("abort", abort, { once: true });
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      fail(statusFailure(vendor, response.statusCode ?? 500));
    });
    socket.on("error", (error) => fail(toSpeechError(vendor, error)));
    socket.on("close", (code) => fail(failure(vendor, `closed_${code}`, code !== POLICY_VIOLATION)));
    socket.on("message", (data, isBinary) => {
      if (!isBinary && !isOver) onText(String(data));
    });
    socket.on("open", () => {
      isOpen = true;
      clearTimeout(patience);
      resolve({
        send: (message) => {
          // A failed send is not reported: the close event that follows has the reason.
          if (socket.readyState === WebSocket.OPEN) socket.send(message);
        },
        backlog: () => socket.bufferedAmount,
        part: (message) => {
          if (socket.readyState !== WebSocket.OPEN) return finish(() => {});
          socket.send(message);
          const leave = () => {
            socket.close(1000);
            setTimeout(() => socket.terminate(), PART_MS).unref();
          };
          finish(() => {}, leave);
        },
        end: () => finish(() => {}),
      });
    });
  });
}

/** A far end that does not close in this time is not waited for. */
const PART_MS = 1_000;
/** Close codes by which a server refuses us (RFC 6455, 7.4.1); a retry is of no use. */
const POLICY_VIOLATION = 1008;
