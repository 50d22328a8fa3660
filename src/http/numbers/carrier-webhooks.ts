import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Uuid } from "#domain/values/id.ts";
import { addressOf } from "#http/access/client-address.ts";
import type { Refusals } from "#http/access/rate-limit.ts";
import type { WebhookCounts } from "#http/server/health.ts";
import { bringCall, passOnNews } from "#operations/calls/pass-on-call.ts";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { webhookReader } from "#operations/numbers/read-webhook.ts";
import { ownerOfNumber } from "#operations/numbers/webhook-accounts.ts";
import { askRegistry } from "#operations/registration/ask-registry.ts";
import { NONCE, REACHED_AT, reachedAnswer } from "#operations/sending/check-live.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import type { WebhookEvents, WebhookRequest } from "#ports/carrier-account.ts";
import { carrierStreams, type OpenStreams } from "./carrier-streams.ts";

/** A text with ten pictures is a few kilobytes: pictures come as links. It is read before anybody has proved to be the carrier. */
const MAX_WEBHOOK_BYTES = 128 * 1024;

/**
 * Where carriers send what comes in, at `/carrier/{carrier_id}/...`: no operation of the API, and signed by the carrier's own means over the bytes as
 * they came. Answered once it is committed, so that a carrier which gets no answer sends it again. Whoever cannot prove to be the carrier gets one and
 * the same 403, and a 429 after too many: what its carrier has signed is taken from any address.
 */
export async function carrierWebhooks(
  app: FastifyInstance,
  ctx: Context,
  { counts, open, refusals }: { counts: WebhookCounts; open: OpenStreams; refusals: Refusals },
): Promise<void> {
  const read = webhookReader(ctx);
  const requestOf = (request: FastifyRequest, path: string): WebhookRequest => ({
    path,
    url: `${ctx.publicUrl ?? `${request.protocol}://${request.host}`}${request.raw.url}`,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
    body: Buffer.isBuffer(request.body) ? request.body : new Uint8Array(),
    now: ctx.now(),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  carrierStreams(app, ctx, { counts, open, refusals, read, requestOf });
  // No carrier's: by it this service finds out whether its own public address leads here (operations/sending/check-live.ts).
  app.post<{ Params: { nonce: string } }>(`${REACHED_AT}/:nonce`, { schema: { hide: true } }, (request, reply) => {
    const { nonce } = request.params;
    reply.type("text/plain; charset=utf-8").serializer(asIs);
    return NONCE.test(nonce) ? reply.send(`${reachedAnswer(ctx, nonce)}\n`) : reply.code(403).send("Forbidden\n");
  });
  app.post<{ Params: { carrier_id: string; "*": string } }>(
    "/carrier/:carrier_id/*",
    { schema: { hide: true }, bodyLimit: MAX_WEBHOOK_BYTES },
    async (request, reply) => {
      const { carrier_id: carrier, "*": path } = request.params;
      const webhook = await read(carrier, requestOf(request, path), {
        isPatient: refusals.areUsedUp(addressOf(request)),
      });
      if (!webhook) {
        const isLimited = !refusals.take(addressOf(request));
        counts[isLimited ? "limited" : "refused"]++;
        if (isLimited) reply.code(429).header("retry-after", "60");
        else reply.code(403);
        return reply
          .type("text/plain; charset=utf-8")
          .serializer(asIs)
          .send(isLimited ? "Too many requests\n" : "Forbidden\n");
      }
      const { tenantId, events } = webhook;
      if (events.receipts.length > 0) await recordReceipts(ctx, tenantId, events.receipts, carrier);
      if (events.isRegistry) await askRegistry(ctx, tenantId, carrier);
      if (events.callNews) await passOnNews(ctx, tenantId, carrier, events.callNews);
      const answer = (events.brought && (await bring(ctx, { tenantId, carrier }, events.brought))) ?? events.answer;
      for (const text of events.inbound) {
        const of = await ownerOfNumber(ctx, { tenantId, carrier }, text.to);
        await receiveMessage(ctx, of.tenantId, { ...text, carrier: of.carrier });
      }
      counts.taken++;
      const { status, type, body } = answer;
      return reply.code(status).type(type).serializer(asIs).send(body);
    },
  );
}

/** To whom the number called is of, as a text is. */
async function bring(
  ctx: Context,
  account: { tenantId: Uuid; carrier: string },
  { call, answered }: NonNullable<WebhookEvents["brought"]>,
): Promise<WebhookEvents["answer"]> {
  const of = await ownerOfNumber(ctx, account, call.to);
  return answered(await bringCall(ctx, of.tenantId, of.carrier, call), of.carrier);
}

const asIs = (payload: unknown) => payload as string;
