import { attestationOf } from "#domain/calls/attestation.ts";
import { failure } from "#domain/values/errors.ts";
import type { WebhookEvents } from "#ports/carrier-account.ts";
import { connectTwiml, rejectTwiml, streamUrl } from "./twiml.ts";

const CALL_SID = /^CA[0-9a-fA-F]{32}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NUMBER = /^[+\w.@:-]{1,100}$/;
const NOTHING = { receipts: [], inbound: [], answer: { status: 200, type: "text/xml", body: "<Response/>" } };

/** What a webhook of calls says, after its signature: `voice` is a call to one of our numbers, `call/{ref}` a report of one of ours. */
export function readCallWebhook(
  path: string,
  fields: URLSearchParams,
  baseOf: (carrier: string) => string,
): WebhookEvents | undefined {
  if (path === "voice") return broughtOf(fields, baseOf);
  const [, ref] = /^call\/([^/]+)$/.exec(path) ?? [];
  if (ref === undefined) return undefined;
  const [carrierId, status] = [fields.get("CallSid") ?? "", fields.get("CallStatus") ?? ""];
  if (!UUID.test(ref)) throw failure("invalid_request", "The path is none of the carrier's");
  if (!CALL_SID.test(carrierId) || !/^[a-z-]{1,20}$/.test(status))
    throw failure("invalid_request", "CallSid or CallStatus is missing");
  const [code, sequence] = [countIn(fields.get("SipResponseCode")), countIn(fields.get("SequenceNumber"))];
  return {
    ...NOTHING,
    callNews: {
      ...{ ref, carrierId, status },
      ...(code === undefined ? {} : { code }),
      ...(sequence === undefined ? {} : { sequence }),
    },
  };
}

function broughtOf(fields: URLSearchParams, baseOf: (carrier: string) => string): WebhookEvents {
  const [from, to, carrierId] = [fields.get("From") ?? "", fields.get("To") ?? "", fields.get("CallSid") ?? ""];
  if (!NUMBER.test(from) || !NUMBER.test(to) || !CALL_SID.test(carrierId))
    throw failure("invalid_request", "From, To or CallSid is missing");
  const attestation = attestationOf({ verstat: fields.get("StirVerstat") ?? undefined });
  return {
    ...NOTHING,
    brought: {
      call: { carrierId, from, to, ...(attestation ? { attestation } : {}) },
      answered: (answer, carrier) => ({
        ...NOTHING.answer,
        body:
          answer && "ticket" in answer
            ? connectTwiml(streamUrl(baseOf(carrier)), answer.ticket)
            : rejectTwiml(answer?.refused === "404" || answer?.refused === "603" ? "rejected" : "busy"),
      }),
    },
  };
}

const countIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
