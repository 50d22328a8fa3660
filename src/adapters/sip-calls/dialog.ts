import {
  type Header,
  header,
  headerList,
  type OutgoingRequest,
  type SipRequest,
  type SipResponse,
} from "#adapters/sip-messages/message.ts";
import { parseNameAddr } from "#adapters/sip-messages/name-addr.ts";
import { parseUri } from "#adapters/sip-messages/uri.ts";

/** RFC 3261, 12: what both sides know of each other for the length of a call. `localCseq` and `target` move, the rest stays. */
export type Dialog = {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** Values of From and To in our requests, tags included. */
  local: string;
  remote: string;
  localCseq: number;
  remoteCseq: number;
  /** The other side's contact. */
  target: string;
  routes: readonly string[];
};

/** The dialog that a response to our INVITE makes (12.1.2). One that names no contact is answered where the INVITE went. */
export function dialogOfResponse(
  response: SipResponse,
  mine: { from: string; tag: string; cseq: number; uri: string },
): Dialog {
  return {
    callId: response.callId,
    localTag: mine.tag,
    remoteTag: response.to.params.get("tag") ?? "",
    local: mine.from,
    remote: header(response, "to")!,
    localCseq: mine.cseq,
    remoteCseq: -1,
    target: contactOf(response) ?? mine.uri,
    routes: headerList(response, "record-route").reverse(),
  };
}

/** The one that answering a request makes (12.1.1). */
export function dialogOfRequest(request: SipRequest, localTag: string): Dialog | undefined {
  const target = contactOf(request);
  if (target === undefined) return undefined;
  return {
    callId: request.callId,
    localTag,
    remoteTag: request.from.params.get("tag") ?? "",
    local: `${header(request, "to")};tag=${localTag}`,
    remote: header(request, "from")!,
    localCseq: 0,
    remoteCseq: request.cseq,
    target,
    routes: headerList(request, "record-route"),
  };
}

/** The URI of the first Contact; undefined when there is none that can be called. */
export function contactOf(message: SipRequest | SipResponse): string | undefined {
  const contact = parseNameAddr(headerList(message, "contact")[0] ?? "");
  return contact?.parsed === undefined || contact.parsed.scheme === "tel" ? undefined : contact.uri;
}

/** A request within the dialog, but for its CSeq (12.2.1.1): to the target by way of the routes, or to a strict router, as it wants it. */
export function requestIn(dialog: Dialog, method: string, headers: readonly Header[], body?: string): OutgoingRequest {
  const first = parseNameAddr(dialog.routes[0] ?? "");
  const isStrict = first !== undefined && !parseUri(first.uri)?.params.has("lr");
  const routes = isStrict ? [...dialog.routes.slice(1), `<${dialog.target}>`] : dialog.routes;
  return {
    method,
    uri: isStrict ? first.uri : dialog.target,
    headers: [
      ...routes.map((route): Header => ["route", route]),
      ["max-forwards", "70"],
      ["from", dialog.local],
      ["to", dialog.remote],
      ["call-id", dialog.callId],
      ...headers,
    ],
    ...(body === undefined ? {} : { body }),
  };
}

/** What is to be located for the next hop. */
export function nextHopOf(dialog: Dialog): string {
  return parseNameAddr(dialog.routes[0] ?? "")?.uri ?? dialog.target;
}
