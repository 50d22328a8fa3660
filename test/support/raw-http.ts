import { connect } from "node:net";

/** What came back over a connection, and whether the server closed it. */
export type RawAnswer = { status: number; headers: string; body: string; closed: boolean; answers: number };

/** A server that has said nothing for this long has nothing to say. */
const QUIET_MS = 300;

/**
 * Sends bytes as they stand over a connection of their own and reads until the server closes it, is quiet after an answer, or
 * `withinMs` are over. `pieces` are written one after the other, `everyMs` apart.
 */
export function sendRaw(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  { everyMs = 0, withinMs = 10_000 }: { everyMs?: number; withinMs?: number } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = "";
    let closed = false;
    let quiet: NodeJS.Timeout | undefined;
    const timers = new Set<NodeJS.Timeout>();
    const end = () => {
      for (const timer of [late, quiet, ...timers]) clearTimeout(timer);
      socket.destroy();
      resolve(answerOf(text, closed));
    };
    const late = setTimeout(end, withinMs);
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      text += part;
      clearTimeout(quiet);
      // A server that says that it closes is waited for.
      if (!/^connection: close\r$/im.test(text)) quiet = setTimeout(end, QUIET_MS);
    });
    // A server that closes while we still write is no failure of ours.
    socket.on("error", () => {});
    socket.on("close", () => {
      closed = true;
      end();
    });
    socket.on("connect", () => {
      for (const [i, piece] of pieces.entries()) {
        if (everyMs === 0) socket.write(piece);
        else timers.add(setTimeout(() => socket.writable && socket.write(piece), i * everyMs));
      }
    });
  });
}

function answerOf(text: string, closed: boolean): RawAnswer {
  const at = text.indexOf("\r\n\r\n");
  const headers = at < 0 ? text : text.slice(0, at);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    headers,
    body: at < 0 ? "" : Buffer.from(text.slice(at + 4), "latin1").toString("utf8"),
    closed,
    answers: text.match(/^HTTP\/1\.1 \d{3}/gm)?.length ?? 0,
  };
}

/** A request's text: its line, its headers as `Name: value`, an empty line and a body. */
export const rawRequest = (line: string, headers: readonly string[], body = ""): string =>
  `${[`${line} HTTP/1.1`, "Host: parley.test", ...headers].join("\r\n")}\r\n\r\n${body}`;
