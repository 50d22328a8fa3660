import { createHash } from "node:crypto";
import {
  type Header,
  header,
  headerList,
  type OutgoingRequest,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  writeMessage,
  writeResponse,
} from "#adapters/sip-messages/message.ts";
import { type Malformed, parseMessage } from "#adapters/sip-messages/parse-message.ts";
import type { DropCounter } from "#domain/system/network-drop.ts";
import {
  type ClientEvents,
  type ClientTransaction,
  clientTransaction,
  inviteClientTransaction,
} from "./client-transaction.ts";
import { type Clock, type Log, type Random, token } from "./clock.ts";
import { perSecond } from "./rate.ts";
import { inviteServerMachine, type ServerMachine, serverMachine } from "./server-transaction.ts";
import type { Hop, Source, Transports } from "./transports.ts";

/** RFC 3261, 8.1.1.7: a branch that begins so is unique. */
const COOKIE = "z9hG4bK";

/** Answers a second to what cannot be read, of one address and of all: a trunk's own mistakes are a few, and an address of UDP can be forged. */
const UNREADABLE_ANSWERS = { each: 20, all: 200 };
/** Where it came from, in its Via, and our tag in its To. */
const ANSWERS_OWN_BYTES = 64;

/** Requests being answered at one time; past it they are dropped, or a flood would fill the memory. */
const MAX_SERVER_TRANSACTIONS = 20_000;

export type Response = { status: number; reason: string; toTag?: string; headers?: readonly Header[]; body?: string };

/** A request that waits for its answer. */
export type ServerTransaction = {
  readonly request: SipRequest;
  readonly source: Source;
  /** False when the final answer has gone before. */
  respond(response: Response): boolean;
  /** The same bytes again, of a 2xx that has not been acknowledged. */
  resend(): void;
  isAnswered(): boolean;
  /** Set by its owner: the caller has cancelled its INVITE. */
  cancelled?: () => void;
};

/** What stands above the transactions. */
export type Core = {
  /** Whether this address is anybody's at all. What is not gets an answer without memory, or none. */
  isKnown(request: SipRequest, source: Source): boolean;
  /** A request of somebody unknown: the status to refuse it with; undefined drops it. */
  refuse(request: SipRequest, source: Source): Response | undefined;
  request(transaction: ServerTransaction): void;
  /** The ACK of a 2xx. */
  ack(request: SipRequest): void;
};

export type SentRequest = {
  /** Of an INVITE: asks the other side to give up. Only after a provisional answer (RFC 3261, 9.1). */
  cancel(reason?: string): void;
  abandon(): void;
};

export type Transactions = {
  request(request: OutgoingRequest, hop: Hop, on: ClientEvents): SentRequest;
  /** Sends what has no transaction: the ACK of a 2xx. */
  sendAck(request: OutgoingRequest, hop: Hop): void;
  received(bytes: Buffer, source: Source): void;
  /** Figures for tests and metrics. */
  count(): { client: number; server: number };
  close(): void;
};

export function transactionLayer(services: {
  clock: Clock;
  random: Random;
  transports: Transports;
  core: Core;
  drops: DropCounter;
  log: Log;
}): Transactions {
  const secret = services.random(16);
  const mayAnswerUnreadable = perSecond(services.clock, UNREADABLE_ANSWERS);
  const clients = new Map<string, ClientTransaction>();
  const servers = new Map<string, { machine: ServerMachine; transaction: ServerTransaction }>();

  function viaOf(hop: Hop, branch: string): Header {
    const protocol = hop.protocol.toUpperCase();
    return ["via", `SIP/2.0/${protocol} ${services.transports.sentBy(hop.protocol)};branch=${branch};rport`];
  }

  const bytesOf = (request: OutgoingRequest, via: Header): Buffer =>
    writeMessage(`${request.method} ${request.uri} SIP/2.0`, [via, ...request.headers], request.body);

  function start(
    request: OutgoingRequest,
    hop: Hop,
    on: ClientEvents,
    branch = `${COOKIE}${token(services.random)}`,
  ): SentRequest {
    const via = viaOf(hop, branch);
    const bytes = bytesOf(request, via);
    const key = `${branch} ${request.method}`;
    const send = (what: Buffer) => services.transports.send(hop, what, (error) => clients.get(key)?.failed(error));
    const parts = {
      clock: services.clock,
      isReliable: hop.protocol !== "udp",
      send: () => send(bytes),
      on: {
        ...on,
        ended() {
          clients.delete(key);
          on.ended();
        },
      },
    };
    /** RFC 3261, 17.1.1.3 and 9.1: as the INVITE was, to the same place. */
    const companion = (method: "ACK" | "CANCEL", to: string | undefined, more: readonly Header[]): OutgoingRequest => ({
      method,
      uri: request.uri,
      headers: [
        ...request.headers.filter(([name]) => ["route", "from", "call-id", "max-forwards"].includes(name)),
        ["to", to ?? header(request, "to")!],
        ["cseq", `${Number.parseInt(header(request, "cseq")!, 10)} ${method}`],
        ...more,
      ],
    });
    const transaction =
      request.method === "INVITE"
        ? inviteClientTransaction({
            ...parts,
            acknowledge: (response) =>
              services.transports.send(hop, bytesOf(companion("ACK", header(response, "to"), []), via), () => {}),
          })
        : clientTransaction(parts);
    clients.set(key, transaction);
    return {
      cancel(reason) {
        const why: Header[] = reason === undefined ? [] : [["reason", reason]];
        const silent = { response() {}, failed() {}, ended() {} };
        start(companion("CANCEL", undefined, why), hop, silent, branch);
      },
      abandon() {
        transaction.abandon();
        clients.delete(key);
      },
    };
  }

  /** `size` is the request's, in bytes. */
  function receivedRequest(request: SipRequest, source: Source, size: number): void {
    const key = keyOf(request, request.method === "ACK" || request.method === "CANCEL" ? "INVITE" : request.method);
    const same = servers.get(request.method === "CANCEL" ? `${key} CANCEL` : key);
    if (request.method === "ACK") {
      same?.machine.acknowledged();
      services.core.ack(request);
      return;
    }
    if (same) {
      same.machine.repeated();
      return;
    }
    if (!isCancelOf(servers.get(key)?.transaction, request, source) && !services.core.isKnown(request, source)) {
      const response = services.core.refuse(request, source);
      if (response === undefined) return;
      const bytes = writeResponse(request, { ...response, toTag: tagOf(request) }, source);
      // Its address may be forged, and somebody else's: nobody gets more from us than was sent in their name.
      if (source.protocol === "udp" && bytes.length > size) services.drops.count("stranger");
      else source.reply(bytes);
      return;
    }
    source.prove();
    if (servers.size >= MAX_SERVER_TRANSACTIONS) return void services.drops.count("flooded");
    const transaction = serve(request, source, request.method === "CANCEL" ? `${key} CANCEL` : key);
    if (request.method === "CANCEL") cancel(transaction, servers.get(key)?.transaction);
    else services.core.request(transaction);
  }

  function cancel(transaction: ServerTransaction, invite: ServerTransaction | undefined): void {
    if (invite === undefined) {
      transaction.respond({ status: 481, reason: "Call/Transaction Does Not Exist" });
      return;
    }
    transaction.respond({ status: 200, reason: "OK" });
    if (!invite.isAnswered()) invite.cancelled?.();
  }

  function serve(request: SipRequest, source: Source, key: string): ServerTransaction {
    let last: Buffer | undefined;
    const parts = {
      clock: services.clock,
      isReliable: source.protocol !== "udp",
      send: (bytes: Buffer) => source.reply(bytes),
      ended: () => servers.delete(key),
    };
    const unacknowledged = () => services.log("debug", "no ACK came for a refusal", { callId: request.callId });
    const machine =
      request.method === "INVITE" ? inviteServerMachine({ ...parts, unacknowledged }) : serverMachine(parts);
    const transaction: ServerTransaction = {
      request,
      source,
      respond(response) {
        const toTag = response.toTag ?? (response.status > 100 ? tagOf(request) : undefined);
        const bytes = writeResponse(request, { ...response, toTag }, source);
        if (!machine.respond(response.status, bytes)) return false;
        last = bytes;
        return true;
      },
      resend() {
        if (last !== undefined) source.reply(last);
      },
      isAnswered: machine.isFinal,
    };
    servers.set(key, { machine, transaction });
    return transaction;
  }

  /** One tag for all answers to a request that makes no dialog; the same for its retransmissions without memory of them. */
  const tagOf = (request: SipRequest): string =>
    createHash("sha1").update(secret).update(keyOf(request, "")).digest("hex").slice(0, 16);

  return {
    request: start,
    sendAck: (request, hop) =>
      services.transports.send(hop, bytesOf(request, viaOf(hop, `${COOKIE}${token(services.random)}`)), () => {}),
    received(bytes, source) {
      const message = parseMessage(bytes, source.protocol !== "udp");
      if (message.kind === "malformed") {
        // As to strangers: nobody gets more from us than was sent in their name, but for what the shortest answer has to have.
        const most = source.protocol === "udp" ? bytes.length + ANSWERS_OWN_BYTES : Number.POSITIVE_INFINITY;
        const answer = answerToMalformed(message, source, services.core, most);
        if (answer === undefined) services.drops.count("malformed");
        else if (!mayAnswerUnreadable(source.address)) services.drops.count("flooded");
        else source.reply(answer);
      } else if (message.kind === "request") receivedRequest(message, source, bytes.length);
      else if (receivedResponse(message, clients)) source.prove();
    },
    count: () => ({ client: clients.size, server: servers.size }),
    close() {
      for (const transaction of clients.values()) transaction.abandon();
      for (const { machine } of servers.values()) machine.abandon();
      clients.clear();
      servers.clear();
    },
  };
}

/** False when it is of nothing that was asked. */
function receivedResponse(response: SipResponse, clients: ReadonlyMap<string, ClientTransaction>): boolean {
  // RFC 3261, 8.1.3.3: it is not for us, or has gone astray.
  if (headerList(response, "via").length > 1) return false;
  const client = clients.get(`${response.via.params.get("branch")} ${response.method}`);
  client?.received(response);
  return client !== undefined;
}

/** A CANCEL cannot be asked for a password (RFC 3261, 22.1): it is known by the INVITE that it is of, from the same place. */
function isCancelOf(invite: ServerTransaction | undefined, request: SipRequest, source: Source): boolean {
  const from = invite?.source;
  return request.method === "CANCEL" && from?.address === source.address && from.port === source.port;
}

/** RFC 3261, 17.2.3; without the cookie by what RFC 2543 has. A CANCEL and an ACK carry the branch of their INVITE. */
function keyOf(request: SipRequest, method: string): string {
  const { via } = request;
  const branch = via.params.get("branch") ?? "";
  const where = `${via.host.toLowerCase()}:${via.port ?? ""}`;
  if (branch.startsWith(COOKIE) && branch.length > COOKIE.length) return `${branch} ${where} ${method}`;
  return `${request.callId} ${request.cseq} ${request.from.params.get("tag") ?? ""} ${branch} ${where} ${method}`;
}

const MALFORMED_REASONS: Readonly<Record<number, string>> = { 501: "Not Implemented", 505: "Version Not Supported" };

/** The answer to it, for known senders only, with what was wrong where there is room: of no more than `most` bytes. */
function answerToMalformed(malformed: Malformed, source: Source, core: Core, most: number): Buffer | undefined {
  const message: SipMessage | undefined = malformed.message;
  if (message?.kind !== "request" || message.method === "ACK" || !core.isKnown(message, source)) return undefined;
  const reason = MALFORMED_REASONS[malformed.status] ?? "Bad Request";
  const response = { status: malformed.status, reason, toTag: "malformed" };
  const headers: Header[] = [["warning", `399 parley "${malformed.why}"`]];
  const answers = [writeResponse(message, { ...response, headers }, source), writeResponse(message, response, source)];
  return answers.find(({ length }) => length <= most);
}
