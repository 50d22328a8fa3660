import { connect } from "node:net";

/** What came back over a connection, and whether the server closed it by itself. */
export type RawAnswer = { status: number; headers: string; body: string; closed: boolean; answers: number };

/** A server that neither answers nor closes by then hangs. */
const HANGS_MS = 60_000;

/** Asked once an answer is whole and the connection is left open: its answer comes after those to all that the bytes before it were taken for. */
const LAST = "GET /healthz HTTP/1.1\r\nHost: parley.test\r\nConnection: close\r\n\r\n";
const ANSWER_TO_LAST = '{"status":"ok"}';

/**
 * Sends bytes as they stand over a connection of their own, and reads until the server closes it: by itself, or because it was asked to after a
 * whole answer. `pieces` are written one after the other, `everyMs` apart.
 */
export function sendRaw(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  { everyMs = 0 }: { everyMs?: number } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = "";
    let isLast = false;
    const timers = new Set<NodeJS.Timeout>();
    const end = () => {
      for (const timer of [late, ...timers]) clearTimeout(timer);
      socket.destroy();
    };
    const late = setTimeout(() => {
      end();
      reject(new Error(`the server neither answers nor closes: ${text.slice(0, 300)}`));
    }, HANGS_MS);
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      text += part;
      if (isLast || !isWhole(text) || /^connection: close\r$/im.test(text)) return;
      isLast = true;
      for (const timer of timers) clearTimeout(timer);
      socket.write(LAST);
    });
    // A server that closes while we still write is no failure of ours.
    socket.on("error", () => {});
    socket.on("close", () => {
      end();
      resolve(answerOf(text, isLast));
    });
    socket.on("connect", () => {
      for (const [i, piece] of pieces.entries()) {
        if (everyMs === 0) socket.write(piece);
        else timers.add(setTimeout(() => socket.writable && socket.write(piece), i * everyMs));
      }
    });
  });
}

/** Where the first answer's body ends, as its headers say. */
function endOf(text: string): number | undefined {
  const at = text.indexOf("\r\n\r\n");
  if (at < 0) return undefined;
  const length = /^content-length: (\d+)\r?$/im.exec(text.slice(0, at))?.[1];
  return length === undefined ? undefined : at + 4 + Number(length);
}

const isWhole = (text: string): boolean => text.length >= (endOf(text) ?? Number.POSITIVE_INFINITY);

function answerOf(text: string, isLast: boolean): RawAnswer {
  const at = text.indexOf("\r\n\r\n");
  const headers = at < 0 ? text : text.slice(0, at);
  // One follows the other's body without a line's end.
  const answers = text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    headers,
    body: at < 0 ? "" : Buffer.from(text.slice(at + 4, endOf(text)), "latin1").toString("utf8"),
    closed: !isLast,
    // The one to our last question is not one to what was sent.
    answers: isLast && text.endsWith(ANSWER_TO_LAST) ? answers - 1 : answers,
  };
}

/** A request's text: its line, its headers as `Name: value`, an empty line and a body. */
export const rawRequest = (line: string, headers: readonly string[], body = ""): string =>
  `${[`${line} HTTP/1.1`, "Host: parley.test", ...headers].join("\r\n")}\r\n\r\n${body}`;
