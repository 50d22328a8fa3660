import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { request as httpRequest } from "node:http";
import type { DeliveryUpdateWebhookEvent, InboundMessageWebhookEvent } from "telnyx/resources/webhooks";

/** What goes over the wire, for tests that send it again or change it. */
export type Signed = { url: string; body: string; headers: Record<string, string> };

export type Signer = { publicKey: string; sign(url: string, event: object, at?: Date): Signed };

export type MessageEvent = InboundMessageWebhookEvent | DeliveryUpdateWebhookEvent;

/** Signs as Telnyx does, with a key of its own. */
export function signer(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
    sign(url, event, at = new Date()) {
      const body = JSON.stringify(event);
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
      const headers = {
        "content-type": "application/json",
        "telnyx-timestamp": timestamp,
        "telnyx-signature-ed25519": signature,
      };
      return { url, body, headers };
    },
  };
}

/** The status of the answer; 0 when there was none. */
export function post({ url, body, headers }: Signed): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: "POST", headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", () => resolve(0));
    });
    request.on("error", () => resolve(0));
    request.end(body);
  });
}

export const eventOf = (event_type: "message.received" | "message.sent" | "message.finalized", payload: object) => ({
  data: { record_type: "event" as const, id: randomUUID(), event_type, occurred_at: new Date().toISOString(), payload },
  meta: { attempt: 1 },
});
