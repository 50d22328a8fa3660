import { connect as connectTcp, isIP, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { guardedLookup, HostNotPublic, type TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { Pdu, ResponseName } from "#adapters/smpp-pdus/commands.ts";
import { decodePdu, type Malformed } from "#adapters/smpp-pdus/decode.ts";
import { encodePdu, type Outgoing } from "#adapters/smpp-pdus/encode.ts";
import { pduFramer } from "#adapters/smpp-pdus/framer.ts";
import { codeOf, meaningOf, STATUS } from "#adapters/smpp-pdus/status.ts";

export type BindCommand = "bind_transceiver" | "bind_transmitter" | "bind_receiver";
export type Delivery = Extract<Pdu, { command: "deliver_sm" | "data_sm" }>;
/** An answer, or a generic_nack in its place. */
export type Answer = Pdu;

export type LinkParts = {
  host: string;
  port: number;
  /** Where the host may be: nothing is sent to any other address. */
  hosts: TenantHosts;
  /** With the gateway's certificate checked against its name; `ca` is for those of a private authority. */
  tls: { ca: string | undefined } | undefined;
  bind: BindCommand;
  fields: Extract<Pdu, { command: "bind_transceiver" }>["fields"];
  times: LinkTimes;
  /** Answers with a status once what came is committed. */
  deliver(pdu: Delivery): Promise<number>;
  /** An answer that came after nobody waited for it any more. */
  late(sequence: number, answer: Answer): void;
};

export type LinkTimes = {
  connectMs: number;
  answerMs: number;
  /** After so long without a word of the gateway it is asked whether it is there. */
  enquireMs: number;
};
export const LINK_TIMES: LinkTimes = { connectMs: 10_000, answerMs: 10_000, enquireMs: 30_000 };

/** So many questions without an answer, and the link is given up. */
const MISSED_MOST = 2;
/** Texts that are being committed at once; further ones are answered "queue full", and come again. */
const DELIVERIES_MOST = 200;

/** The gateway refused the bind: `status` says why. */
export class BindRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the gateway refuses the bind: ${meaningOf(status).words} (${codeOf(status)})`);
    this.name = "BindRefused";
    this.status = status;
  }
}

/** The link ended, or its answer did not come in time, after the request was written: it may have been taken. */
export class NoAnswer extends Error {}

/** A socket looks up names alone: an address is checked here. */
function socketTo({ host, port, tls, hosts }: LinkParts): Socket {
  if (isIP(host) > 0 && !hosts.mayReach(host, host)) return new Socket().destroy(new HostNotPublic(host));
  const place = { host, port, lookup: guardedLookup(hosts) };
  return tls ? connectTls({ ...place, ca: tls.ca, ...(isIP(host) ? {} : { servername: host }) }) : connectTcp(place);
}

type Waiting = { until: number; resolve(answer: Answer): void; reject(error: Error): void };

/**
 * One connection to a gateway. States: connecting, binding, bound, unbinding, closed. It reaches `bound` once and ends in `closed` once, from wherever
 * it is; only `close` ends it. Requests are written while it is bound; each is answered, times out, or fails when the link closes.
 */
export class Link {
  readonly bound: Promise<void>;
  /** Resolves with the reason. */
  readonly closed: Promise<Error>;
  readonly #parts: LinkParts;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #toClose = Promise.withResolvers<Error>();
  #state: "connecting" | "binding" | "bound" | "unbinding" | "closed" = "connecting";
  #sequence = 0;
  #deliveries = 0;
  #heardAt = performance.now();
  #enquiries = 0;
  #timer: NodeJS.Timeout;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    const { tls } = parts;
    const socket = socketTo(parts);
    this.#socket = socket.setNoDelay(true);
    this.closed = this.#toClose.promise;
    const framer = pduFramer((bytes) => this.#take(decodePdu(bytes)));
    socket.on("data", (chunk: Buffer) => {
      this.#heardAt = performance.now();
      if (!framer.push(chunk)) this.close(new Error("the gateway sent a PDU of an impossible length"));
      // It does not read what it is answered: it gets no more to answer.
      else if (socket.writableNeedDrain) socket.pause();
    });
    socket.on("drain", () => socket.resume());
    socket.on("error", (error) => this.close(error));
    socket.on("close", () => this.close(new Error("the gateway closed the connection")));
    this.#timer = setInterval(() => this.#look(), Math.min(500, parts.times.answerMs / 4));
    this.bound = this.#bind(tls ? "secureConnect" : "connect");
    this.bound.catch(() => {});
  }

  get isBound(): boolean {
    return this.#state === "bound";
  }

  async #bind(event: string): Promise<void> {
    const timer = setTimeout(
      () => this.close(new Error("the gateway does not answer")),
      this.#parts.times.connectMs + this.#parts.times.answerMs,
    );
    try {
      const connected = new Promise<void>((resolve) => this.#socket.once(event, resolve));
      const failed = this.closed.then((error) => {
        throw error;
      });
      await Promise.race([connected, failed]);
      this.#state = "binding";
      const { answer } = this.#request({ command: this.#parts.bind, fields: this.#parts.fields });
      const { command, status } = await answer;
      if (command !== `${this.#parts.bind}_resp` || status !== STATUS.ok) throw new BindRefused(status);
      this.#state = "bound";
    } catch (error) {
      this.close(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Writes a request. Throws, with nothing written, when the link is not bound; `answer` fails with NoAnswer. */
  request(pdu: Omit<Outgoing<"submit_sm">, "sequence">): { sequence: number; answer: Promise<Answer> } {
    if (!this.isBound) throw new Error("the link to the gateway is not bound");
    return this.#request(pdu);
  }

  #request(pdu: {
    command: Outgoing<"submit_sm">["command"] | BindCommand | "enquire_link" | "unbind";
    fields?: object;
  }) {
    this.#sequence = (this.#sequence % 0x7fffffff) + 1;
    const sequence = this.#sequence;
    const bytes = encodePdu({ ...pdu, sequence } as Outgoing<"submit_sm">);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.set(sequence, { until: performance.now() + this.#parts.times.answerMs, resolve, reject });
    this.#write(bytes);
    return { sequence, answer: promise };
  }

  /** What is written within one turn of the event loop leaves in one piece. */
  #write(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(bytes);
  }

  #answer(command: ResponseName | "generic_nack", sequence: number, status: number): void {
    this.#write(encodePdu({ command, sequence, status } as Outgoing<"deliver_sm_resp">));
  }

  #take(pdu: Pdu | Malformed): void {
    const { sequence } = pdu;
    if (pdu.command === "malformed") {
      if (pdu.id < 0x80000000) this.#answer("generic_nack", sequence, pdu.status);
      else this.#settle(sequence)?.reject(new NoAnswer(`the gateway's answer cannot be read: ${pdu.why}`));
    } else if (pdu.command === "generic_nack" || pdu.command.endsWith("_resp")) {
      const waiting = this.#settle(sequence);
      if (waiting) waiting.resolve(pdu);
      else this.#parts.late(sequence, pdu);
    } else if (pdu.command === "enquire_link") {
      this.#answer("enquire_link_resp", sequence, STATUS.ok);
    } else if (pdu.command === "unbind") {
      this.#answer("unbind_resp", sequence, STATUS.ok);
      this.close(new Error("the gateway unbound the session"));
    } else if (pdu.command === "deliver_sm" || pdu.command === "data_sm") {
      this.#deliver(pdu);
    } else if (pdu.command !== "outbind" && pdu.command !== "alert_notification") {
      this.#answer("generic_nack", sequence, STATUS.invalidCommandId);
    }
  }

  #settle(sequence: number): Waiting | undefined {
    const waiting = this.#waiting.get(sequence);
    this.#waiting.delete(sequence);
    return waiting;
  }

  #deliver(pdu: Delivery): void {
    const respond = (status: number) => this.#answer(`${pdu.command}_resp`, pdu.sequence, status);
    if (this.#deliveries >= DELIVERIES_MOST) {
      respond(STATUS.messageQueueFull);
      return;
    }
    this.#deliveries++;
    this.#parts
      .deliver(pdu)
      // Whatever went wrong, it was not kept: the gateway is to deliver it again.
      .catch(() => STATUS.temporaryAppError as number)
      .then((status) => {
        this.#deliveries--;
        respond(status);
      });
  }

  /** Some times a second: requests that nobody answers, and a gateway that may be gone. */
  #look(): void {
    const now = performance.now();
    // In the order in which they were written, which is that of their times.
    for (const [sequence, { until, reject }] of this.#waiting) {
      if (until > now) break;
      this.#waiting.delete(sequence);
      reject(new NoAnswer("the gateway did not answer in time"));
    }
    if (!this.isBound || now - this.#heardAt < this.#parts.times.enquireMs * (this.#enquiries + 1)) return;
    this.#enquiries++;
    this.#request({ command: "enquire_link" }).answer.then(
      () => {
        this.#enquiries = 0;
      },
      () => {
        if (this.#enquiries >= MISSED_MOST) this.close(new Error("the gateway does not answer any more"));
      },
    );
  }

  /** Ends the session as the protocol has it: what was asked for is waited for, then unbind, then the end. */
  async unbind(): Promise<void> {
    if (this.isBound) {
      const under = [...this.#waiting.values()].length;
      const until = performance.now() + this.#parts.times.answerMs;
      this.#state = "unbinding";
      while (under > 0 && this.#waiting.size > 0 && performance.now() < until && !this.#socket.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await this.#request({ command: "unbind" }).answer.catch(() => {});
    }
    this.close(new Error("the session was unbound"));
  }

  close(error: Error): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearInterval(this.#timer);
    this.#socket.destroy();
    for (const { reject } of this.#waiting.values()) reject(new NoAnswer(error.message, { cause: error }));
    this.#waiting.clear();
    this.#toClose.resolve(error);
  }
}
