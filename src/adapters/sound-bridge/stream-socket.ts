import type { RawData, WebSocket } from "ws";
import type { StreamSocket } from "#ports/call-streams.ts";

/** Two seconds of a stream's messages: what waits longer is not worth hearing. */
const MAX_BUFFERED = 40_000;
/** Messages that may come before anybody listens: the first two of a stream, and some sound. */
const MOST_EARLY = 100;

/** A WebSocket's texts. A binary message is none, and is passed over. */
export function streamSocket(socket: WebSocket): StreamSocket {
  let listener: Parameters<StreamSocket["listen"]>[0] | undefined;
  let early: string[] = [];
  let isClosed = false;
  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (isBinary) return;
    const text = String(data);
    if (listener) listener.text(text);
    else if (early.length < MOST_EARLY) early.push(text);
  });
  // It is closed as well, and that is all there is to say of it.
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    listener?.closed();
  });
  return {
    listen(on) {
      listener = on;
      for (const text of early) on.text(text);
      early = [];
      if (isClosed) on.closed();
    },
    send(message) {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < MAX_BUFFERED) socket.send(message);
    },
    close: () => socket.close(),
  };
}
