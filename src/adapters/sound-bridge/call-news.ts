import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallNodeHandlers } from "#ports/call-streams.ts";
import { BROUGHT_PATH, NEWS_PATH } from "./call-nodes.ts";
import { hasPass, passOf, type Sign } from "./line.ts";

/** Some fields of a call. */
const MAX_BODY = 16_000;

/** Answers a request of another node: what a carrier reports of a call, or a call that it brings. Anybody else gets a 404. Never rejects. */
export async function passedOn(
  request: IncomingMessage,
  response: ServerResponse,
  sign: Sign,
  handlers: () => CallNodeHandlers | undefined,
): Promise<void> {
  const answer = (status: number, body?: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  try {
    const path = request.url ?? "";
    if (request.method !== "POST" || ![NEWS_PATH, BROUGHT_PATH].includes(path)) return answer(404);
    const body = await bodyOf(request);
    const handle = handlers();
    if (body === undefined || handle === undefined || !hasPass(request, passOf(sign, `${path} ${body}`)))
      return answer(404);
    // Of one of our own nodes: as it says what it is.
    const { of, news, call } = JSON.parse(body);
    answer(200, path === NEWS_PATH ? handle.report(of, news) : ((await handle.bring(of, call)) ?? null));
  } catch {
    answer(500);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > MAX_BODY) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}
