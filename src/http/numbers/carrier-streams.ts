import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
import { addressOf } from "#http/access/client-address.ts";
import type { Refusals } from "#http/access/rate-limit.ts";
import type { WebhookCounts } from "#http/server/health.ts";
import { type StreamJoiner, streamJoiner } from "#operations/calls/join-stream.ts";
import type { Context } from "#operations/context.ts";
import type { WebhookReader } from "#operations/numbers/read-webhook.ts";
import type { StreamSocket } from "#ports/call-streams.ts";
import type { WebhookRequest } from "#ports/carrier-account.ts";
import { waitingStreams } from "./waiting-streams.ts";

/** A stream says what it is of in its first two messages, at once. */
const BEGIN_WITHIN_MS = 5_000;
const MOST_BEFORE = 2;
/** 20 ms of sound are 300 bytes of JSON; one with a call's fields is some kilobytes. */
const MAX_MESSAGE = 16_000;
/** What is read of a stream before its call is found: its first messages, and the sound of the seconds that this may take. */
const MOST_BYTES_BEFORE = 64_000;
/** Whoever is refused has this long to take note of it: his connection is not kept for his own farewell. */
const FAREWELL_MS = 1_000;
/** Fifty messages a second are sound; what a network has held back comes at once. */
const MESSAGES_PER_SECOND = 100;
const MESSAGES_AT_ONCE = 500;
/** What a carrier does not take in time is outdated: two seconds of sound. */
const MAX_BUFFERED = 40_000;
/** RFC 6455, 7.4.1. */
const [DONE, NOT_TAKEN, TOO_LARGE] = [1000, 1008, 1009] as const;

/** How many streams this process passes on now. */
export type OpenStreams = { count: number };

type Parts = {
  counts: WebhookCounts;
  open: OpenStreams;
  refusals: Refusals;
  read: WebhookReader;
  requestOf(request: FastifyRequest, path: string): WebhookRequest;
};
type Params = { Params: { carrier_id: string } };

/**
 * Where carriers bring the sound of calls, at `/carrier/{carrier_id}/stream`. What is signed has to be signed by the account's carrier, and every stream has
 * to show the ticket of a call that waits for it. Its messages go to the node that holds the call as they are; one that nobody waits for is closed.
 */
export function carrierStreams(app: FastifyInstance, ctx: Context, parts: Parts): void {
  const { counts, open, refusals, read, requestOf } = parts;
  const waiting = waitingStreams();
  const join = streamJoiner(ctx);
  const isSigned = ({ headers }: FastifyRequest) => headers["x-twilio-signature"] !== undefined;

  async function admit(request: FastifyRequest<Params>, reply: FastifyReply) {
    const isUsedUp = refusals.areUsedUp(addressOf(request));
    if (isSigned(request as FastifyRequest)) {
      const of = requestOf(request as FastifyRequest, "stream");
      const url = of.url.replace(/^http/, "ws");
      if (await read(request.params.carrier_id, { ...of, url }, { isPatient: isUsedUp })) return;
    } else if (!isUsedUp) return;
    counts[refusals.take(addressOf(request)) ? "refused" : "limited"]++;
    return reply.code(403).type("text/plain; charset=utf-8").send("Forbidden\n");
  }

  app.get<Params>(
    "/carrier/:carrier_id/stream",
    { schema: { hide: true }, websocket: true, preHandler: admit },
    (socket, request) => {
      const { ip } = request;
      const carrier = request.params.carrier_id;
      const signed = isSigned(request as FastifyRequest);
      // Counted before it is known whether it is taken: many at once are not each the last that is allowed.
      const isCounted = signed || refusals.take(ip);
      const leave = isCounted ? waiting.take({ ip, carrier, isSigned: signed }) : undefined;
      if (!leave) {
        counts.limited++;
        return socket.terminate();
      }
      const joinOne = (message: string) => join(carrier, message, { isPatient: refusals.areUsedUp(ip) });
      pass(ctx, carrier, { socket, raw: request.raw.socket }, joinOne, (isTaken) => {
        leave();
        if (isTaken) {
          counts.taken++;
          open.count++;
          socket.once("close", () => open.count--);
        } else counts.refused++;
        if (isTaken && !signed) refusals.giveBack(ip);
        if (!isTaken && signed) refusals.take(ip);
      });
    },
  );
}

/** Passes a stream on, once somebody waits for it. `decided` is called once. */
function pass(
  ctx: Context,
  carrier: string,
  { socket, raw }: { socket: WebSocket; raw: Socket },
  join: (message: string) => ReturnType<StreamJoiner>,
  decided: (isTaken: boolean) => void,
): void {
  const openedAt = performance.now();
  const early: string[] = [];
  let asked = 0;
  let messages = 0;
  let stream: StreamSocket | undefined;
  let isDecided = false;

  const decide = (isTaken: boolean) => {
    clearTimeout(patience);
    if (isDecided) return;
    isDecided = true;
    if (isTaken) raw.off("data", bound);
    decided(isTaken);
  };
  const close = (code: number) => {
    socket.close(code);
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
    stream?.close();
    decide(stream !== undefined);
  };
  // Whole messages are too late to see: one may be as long as a body, and is kept until its end comes.
  const begun = raw.bytesRead;
  const bound = () => {
    if (raw.bytesRead - begun <= MOST_BYTES_BEFORE) return;
    socket.terminate();
    decide(false);
  };
  raw.on("data", bound);
  const patience = setTimeout(() => close(NOT_TAKEN), BEGIN_WITHIN_MS);

  const ask = async (text: string, isLast: boolean) => {
    const found = await join(text);
    if (found === "wait") return isLast && !stream ? close(NOT_TAKEN) : undefined;
    if (found === undefined) return close(NOT_TAKEN);
    if (socket.readyState !== socket.OPEN || stream) return found.close();
    stream = found;
    decide(true);
    for (const message of early.splice(0)) found.send(message);
    found.listen({
      text(message) {
        if (socket.readyState === socket.OPEN && socket.bufferedAmount < MAX_BUFFERED) socket.send(message);
      },
      closed: () => socket.close(DONE),
    });
  };

  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (socket.readyState !== socket.OPEN) return;
    const text = isBinary ? "" : String(data);
    if (text === "") return close(NOT_TAKEN);
    if (text.length > MAX_MESSAGE) return close(TOO_LARGE);
    const passedS = (performance.now() - openedAt) / 1_000;
    if (++messages > MESSAGES_AT_ONCE + passedS * MESSAGES_PER_SECOND) return close(NOT_TAKEN);
    if (stream) return stream.send(text);
    early.push(text);
    if (++asked > MOST_BEFORE) return;
    ask(text, asked === MOST_BEFORE).catch((err) => {
      ctx.log.warn({ err, carrier }, "a stream of a carrier could not be passed on");
      close(NOT_TAKEN);
    });
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    stream?.close();
    decide(stream !== undefined);
  });
}
