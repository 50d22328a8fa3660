import { once } from "node:events";
import type { AddressInfo } from "node:net";
import smpp, { type PDU, type Server, type Session } from "smpp";
import type { Owner } from "#test/support/processes/processes.ts";

/** A text as it was submitted: what a phone behind the gateway would be sent. */
export type Submitted = {
  from: string;
  to: string;
  /** Without a header; of a payload too. */
  octets: Buffer;
  header: Buffer;
  dataCoding: number;
  esmClass: number;
  registered: number;
  reference: number | undefined;
  sar: (number | undefined)[];
  validity: string;
  messageId: string;
  at: number;
};

/** What the gateway does with a submit, by its number from 0. */
export type Script = {
  /** The status of the answer; undefined = no answer at all. Default: 0. */
  status?(n: number, text: Submitted): number | undefined;
  /** The id in the answer. Default: counted up. */
  messageId?(n: number): string;
  answerAfterMs?: number;
  /** Cuts the connection instead of answering, having taken the text or not. */
  reset?(n: number, text: Submitted): boolean;
  /** Receipts of a text that was taken: when, in what form, how often. Default: none. */
  receipts?: {
    state: string;
    code?: number;
    early?: boolean;
    times?: number;
    id?(id: string): string;
    tlvs?: boolean;
    afterMs?: number;
  };
  bindStatus?(login: { system_id: string; password: string }): number;
  /** Octets that are written in place of an answer. */
  raw?(n: number, text: Submitted, sequence: number): Buffer | undefined;
  isDeaf?: boolean;
};

export type Gateway = {
  port: number;
  submitted: Submitted[];
  binds: { command: string; system_id: string; version: number }[];
  /** When each of them was taken, by performance.now(). */
  boundAt: number[];
  /** May be changed at any time. */
  script: Script;
  /** Delivers a text or a receipt; answers with the status that came back. */
  deliver(fields: Record<string, unknown>): Promise<number>;
  /** Statuses with which receipts and texts were answered. */
  answers: number[];
  enquiries(): number;
  unbinds(): number;
  reset(): void;
  write(bytes: Buffer): void;
};

/** An SMSC on npm `smpp`'s codec on loopback, until its owner ends. */
export async function smppGateway(
  owner: Owner,
  script: Script = {},
  tls?: { key: string; cert: string },
): Promise<Gateway> {
  const submitted: Submitted[] = [];
  const binds: Gateway["binds"] = [];
  const answers: number[] = [];
  const boundAt: number[] = [];
  let [count, enquired, unbound] = [0, 0, 0];
  const gateway = { script };
  let receivers: Session[] = [];
  const server: Server = smpp.createServer(tls ?? {}, (session) => {
    session.on("error", () => session.destroy());
    session.on("close", () => {
      receivers = receivers.filter((one) => one !== session);
    });
    for (const command of ["bind_transceiver", "bind_transmitter", "bind_receiver"]) {
      session.on(command, (pdu: PDU) => {
        const login = { system_id: String(pdu.system_id), password: String(pdu.password) };
        const status = gateway.script.bindStatus?.(login) ?? 0;
        binds.push({ command, system_id: login.system_id, version: Number(pdu.interface_version) });
        if (status === 0) boundAt.push(performance.now());
        session.send(pdu.response({ command_status: status, system_id: "gateway" }));
        if (status === 0 && command !== "bind_transmitter") receivers.push(session);
      });
    }
    session.on("unbind", (pdu: PDU) => {
      unbound++;
      session.send(pdu.response());
      session.close();
    });
    session.on("enquire_link", (pdu: PDU) => {
      enquired++;
      if (!gateway.script.isDeaf) session.send(pdu.response());
    });
    session.on("submit_sm", (pdu: PDU) => take(session, pdu, count++));
  });

  function take(session: Session, pdu: PDU, n: number): void {
    const { status, messageId, answerAfterMs = 0, reset, receipts, raw } = gateway.script;
    const id = messageId?.(n) ?? String(1_000 + n);
    const text = submittedOf(pdu, id);
    const answer = status ? status(n, text) : 0;
    const isTaken = answer === 0 || answer === undefined;
    if (isTaken) submitted.push(text);
    if (reset?.(n, text)) {
      session.destroy();
      return;
    }
    const bytes = raw?.(n, text, pdu.sequence_number);
    if (bytes) {
      session.socket.write(bytes);
      return;
    }
    const report = () => {
      if (!isTaken || !receipts || text.registered === 0) return;
      for (let i = 0; i < (receipts.times ?? 1); i++) deliver(receiptOf(text, receipts)).catch(() => {});
    };
    if (receipts?.early) report();
    const respond = () => {
      if (answer !== undefined) session.send(pdu.response({ command_status: answer, message_id: id }));
      if (receipts && !receipts.early) setTimeout(report, receipts.afterMs ?? 0);
    };
    if (answerAfterMs > 0) setTimeout(respond, answerAfterMs);
    else respond();
  }

  function deliver(fields: Record<string, unknown>): Promise<number> {
    const session = receivers[0];
    if (!session) return Promise.reject(new Error("nobody is bound to receive"));
    return new Promise((resolve) => {
      session.deliver_sm(fields, (answer) => {
        answers.push(answer.command_status);
        resolve(answer.command_status);
      });
    });
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.after(() => {
    for (const session of [...server.sessions]) session.destroy();
    server.close();
  });
  return Object.assign(gateway, {
    port: (server.address() as AddressInfo).port,
    submitted,
    binds,
    boundAt,
    answers,
    deliver,
    enquiries: () => enquired,
    unbinds: () => unbound,
    reset: () => {
      for (const session of [...server.sessions]) session.destroy();
    },
    write: (bytes: Buffer) => {
      for (const session of server.sessions) session.socket.write(bytes);
    },
  });
}

/** The library takes the header off, and reads the rest as text by its coding: both are undone, to see what was sent. */
function submittedOf(pdu: PDU, messageId: string): Submitted {
  const { message, udh } = (pdu.short_message ?? {}) as { message?: string | Buffer; udh?: Buffer | Buffer[] };
  const payload = pdu.message_payload as { message?: string | Buffer } | undefined;
  const coding = Number(pdu.data_coding);
  return {
    from: String(pdu.source_addr),
    to: String(pdu.destination_addr),
    octets: octetsOf((message?.length ? message : payload?.message) ?? "", coding),
    header: Buffer.isBuffer(udh) ? udh : Buffer.concat((udh as Buffer[] | undefined) ?? []),
    dataCoding: coding,
    esmClass: Number(pdu.esm_class),
    registered: Number(pdu.registered_delivery),
    reference: pdu.user_message_reference as number | undefined,
    sar: [pdu.sar_msg_ref_num, pdu.sar_total_segments, pdu.sar_segment_seqnum] as (number | undefined)[],
    validity: String(pdu.validity_period ?? ""),
    messageId,
    at: performance.now(),
  };
}

function octetsOf(text: string | Buffer, coding: number): Buffer {
  if (Buffer.isBuffer(text)) return text;
  if (coding === 8) return Buffer.from(text, "utf16le").swap16();
  return coding === 3 ? Buffer.from(text, "latin1") : smpp.gsmCoder.encode(text);
}

/** A text as a person would read it. */
export const textOf = ({ octets, dataCoding }: Submitted): string =>
  dataCoding === 8
    ? Buffer.from(octets).swap16().toString("utf16le")
    : dataCoding === 3
      ? octets.toString("latin1")
      : smpp.gsmCoder.decode(octets);

export function receiptOf(
  text: Submitted,
  { state, code = 0, id = (given) => given, tlvs }: NonNullable<Script["receipts"]>,
) {
  const states = ["SCHEDULED", "ENROUTE", "DELIVRD", "EXPIRED", "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN", "REJECTD"];
  const words = `id:${id(text.messageId)} sub:001 dlvrd:001 submit date:2606011200 done date:2606011201 stat:${state} err:${String(code).padStart(3, "0")} text:hello`;
  return {
    source_addr: text.to,
    source_addr_ton: 1,
    destination_addr: text.from,
    esm_class: 4,
    ...(tlvs
      ? { receipted_message_id: id(text.messageId), message_state: states.indexOf(state), short_message: "" }
      : { short_message: words }),
    ...(tlvs && text.reference !== undefined && { user_message_reference: text.reference }),
  };
}
