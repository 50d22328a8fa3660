import { codeOf, pathOf, type TwilioApi } from "#adapters/twilio/api.ts";
import { BARS } from "#adapters/twilio/errors.ts";
import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import { jsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isFinal, mayBeLater, refusalOf } from "./outcome.ts";
import { connectTwiml, streamUrl, transferTwiml } from "./twiml.ts";

/** What of a call is reported to us. */
const EVENTS = ["initiated", "ringing", "answered", "completed"];
/** After what Twilio says is temporary, or when its account is refused, the same call may leave this much later. */
const LATER_MS = 60_000;
const UNSENT_RETRY_MS = 5_000;
/** Twilio gives whole seconds, and its machines' clocks differ. A call that is taken for older stays in doubt, and is not placed again. */
const SKEW_MS = 5_000;
/** Our clock and Twilio's differ by less: what is asked for begins this much earlier. */
const ASKED_BEFORE_MS = 5 * 60_000;
/** Of a list of calls between two numbers one page is as many as there can be. */
const PAGE = 100;
/** Twilio takes 5 to 600 seconds. */
const RING_S = [5, 600] as const;

export type OutgoingCall = {
  from: string;
  to: string;
  /** Planted in the address that the call's states are reported to. */
  ref: Uuid;
  ticket: string;
  ringMs: number;
  /** Asked right before the request's first byte. */
  mayLeave(): boolean;
};

export type Placing =
  | { outcome: "placed"; sid: string }
  | {
      outcome: "refused";
      code: string;
      words: string;
      reason: DisconnectionReason;
      retryAfterMs?: number;
      because?: "carrier_key_refused";
    }
  /** It may have been placed. */
  | { outcome: "uncertain"; code: string };

/** `unclear`: it may have been done. */
export type Transferred = "through" | "refused" | "unclear";

/** How a call stands: `sip` is the status that the callee's network gave. */
export type Standing = { sid: string; status: string };

export type TwilioCalls = ReturnType<typeof twilioCalls>;

/** Calls by one POST each, never repeated. `base`: where Twilio reaches us for this account. */
export function twilioCalls(api: TwilioApi, base: string | undefined) {
  const { account, client } = api;
  const one = (sid: string) => pathOf(account, `Calls/${sid}.json`);
  return {
    accountSid: account.sid,
    isReachable: base !== undefined,
    /** Its streams come to us so, or to what stands before us. */
    isEncrypted: base?.startsWith("https:") === true,
    twiml: (ticket: string) => connectTwiml(streamUrl(base ?? ""), ticket),
    async place(call: OutgoingCall, signal: AbortSignal): Promise<Placing> {
      const seconds = Math.round(call.ringMs / 1_000);
      const form = {
        To: call.to,
        From: call.from,
        Twiml: connectTwiml(streamUrl(base ?? ""), call.ticket),
        Timeout: String(Math.min(RING_S[1], Math.max(RING_S[0], seconds))),
        StatusCallback: `${base}/call/${call.ref}`,
        StatusCallbackEvent: EVENTS,
        StatusCallbackMethod: "POST",
      };
      const request = api.request("api", "POST", pathOf(account, "Calls.json"), form);
      try {
        return placingOf(await client.once(request, signal, call.mayLeave));
      } catch (error) {
        if (!(error instanceof VendorFailure)) throw error;
        if (error.wasSent) return { outcome: "uncertain", code: error.code };
        const retryAfterMs = Math.max(UNSENT_RETRY_MS, error.retryAfterMs);
        const words = "Twilio could not be reached";
        return { outcome: "refused", code: error.code, words, reason: "telephony_provider_unavailable", retryAfterMs };
      }
    },
    /** Ends it, whatever its state. False: Twilio did not say so; it may be over already. */
    async hangUp(sid: string, signal: AbortSignal): Promise<boolean> {
      const request = api.request("api", "POST", one(sid), { Status: "completed" });
      const answer = await client.safely(request, signal).catch(() => undefined);
      return answer !== undefined && answer.status < 300;
    },
    /** Puts the other side through: the stream ends with it. Asked once: a second time would begin the first anew. */
    async transfer(sid: string, to: string, from: string, signal: AbortSignal): Promise<Transferred> {
      const request = api.request("api", "POST", one(sid), { Twiml: transferTwiml(to, from) });
      try {
        const { status } = await client.once(request, signal);
        if (status >= 200 && status < 300) return "through";
        return isUndecided(status) ? "unclear" : "refused";
      } catch (error) {
        return error instanceof VendorFailure && !error.wasSent ? "refused" : "unclear";
      }
    },
    /** How a call stands; undefined where Twilio does not say. */
    async read(sid: string, signal: AbortSignal): Promise<Standing | undefined> {
      const answer = await client.safely(api.request("api", "GET", one(sid)), signal).catch(() => undefined);
      return answer?.status === 200 ? standingOf(jsonObject(answer.text)) : undefined;
    },
    /**
     * A call whose request had no answer: Twilio does not know our reference, so that what it lists between the two numbers since then, by its own
     * clock, is taken for ours where it is the only one, goes on still, and was placed by the API. Undefined: nothing is listed yet, or it cannot be said
     * which it is.
     */
    async find(
      {
        from,
        to,
        since,
        now,
        known,
      }: { from: string; to: string; since: Date; now(): Date; known: ReadonlySet<string> },
      signal: AbortSignal,
    ): Promise<Standing | undefined> {
      const day = new Date(since.getTime() - ASKED_BEFORE_MS).toISOString().slice(0, 10);
      const query = new URLSearchParams({ To: to, From: from, "StartTime>": day, PageSize: String(PAGE) });
      const request = api.request("api", "GET", pathOf(account, `Calls.json?${query}`));
      const answer = await client.safely(request, signal).catch(() => undefined);
      if (answer?.status !== 200) return undefined;
      const twilioNow = Date.parse(answer.headers.date ?? "");
      const aheadMs = Number.isNaN(twilioNow) ? 0 : twilioNow - now().getTime();
      const earliest = since.getTime() + aheadMs - SKEW_MS;
      const recent = objectsIn(jsonObject(answer.text)?.calls).flatMap((call) => {
        const at = Date.parse(textIn(call.date_created) ?? "");
        const standing = standingOf(call);
        const isOurs = call.direction === "outbound-api" && at >= earliest;
        return standing && isOurs && !isFinal(standing.status) && !known.has(standing.sid) ? [standing] : [];
      });
      return recent.length === 1 ? recent[0] : undefined;
    },
  };
}

function standingOf(call: Readonly<Record<string, unknown>> | undefined): Standing | undefined {
  const [sid, status] = [textIn(call?.sid), textIn(call?.status)];
  return sid === undefined || status === undefined ? undefined : { sid, status };
}

/** It may have been done all the same. */
const isUndecided = (status: number): boolean => status < 400 || status === 408 || status >= 500;

function placingOf(answer: Parameters<typeof codeOf>[0]): Placing {
  const { status, text } = answer;
  if (status >= 200 && status < 300) {
    const sid = textIn(jsonObject(text)?.sid);
    return sid === undefined ? { outcome: "uncertain", code: "invalid_answer" } : { outcome: "placed", sid };
  }
  if (isUndecided(status)) return { outcome: "uncertain", code: `http_${status}` };
  const code = status === 401 ? "20003" : codeOf(answer);
  const { words, reason } = refusalOf(code);
  const refused = { outcome: "refused", code, words, reason } as const;
  if (status === 401 || Object.hasOwn(BARS, code))
    return { ...refused, because: "carrier_key_refused", retryAfterMs: LATER_MS };
  return mayBeLater(code) ? { ...refused, retryAfterMs: LATER_MS } : refused;
}
