import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { Owner } from "#test/support/processes/processes.ts";

export type NameRecords = {
  /** `_sip._udp.trunk.test` and the like. */
  srv: Record<string, { name: string; port: number; priority: number; weight: number }[]>;
  a: Record<string, string>;
};

export type NameServer = {
  resolver: Resolver;
  /** Names that were asked for. */
  asked: string[];
  /** Has it answer every question with SERVFAIL. */
  fail(): void;
};

const A = 1;
const SRV = 33;
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;

/** A name server of this machine that speaks DNS over UDP (RFC 1035, RFC 2782), and node's own resolver that asks it alone. */
export async function nameServer(owner: Owner, records: NameRecords): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  owner.after(() => socket.close());
  const asked: string[] = [];
  let hasFailed = false;
  socket.on("message", (question, { address, port }) => {
    const { name, end } = nameAt(question, 12);
    const type = question.readUInt16BE(end);
    asked.push(name);
    const data =
      type === SRV
        ? (records.srv[name] ?? []).map((target) =>
            Buffer.concat([words(target.priority, target.weight, target.port), nameBytes(target.name)]),
          )
        : type === A && records.a[name] !== undefined
          ? [Buffer.from(records.a[name].split(".").map(Number))]
          : [];
    const isKnown = name in records.srv || name in records.a;
    const code = hasFailed ? SERVER_FAILURE : isKnown ? 0 : NO_SUCH_NAME;
    const answers = hasFailed
      ? []
      : data.map((record) => Buffer.concat([words(0xc00c, type, 1, 0, 60, record.length), record] as Buffer[]));
    const head = Buffer.concat([question.subarray(0, 2), words(0x8180 | code, 1, answers.length, 0, 0)]);
    socket.send(Buffer.concat([head, question.subarray(12, end + 4), ...answers]), port, address);
  });
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    resolver,
    asked,
    fail() {
      hasFailed = true;
    },
  };
}

function words(...values: number[]): Buffer {
  const out = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) out.writeUInt16BE(value, 2 * at);
  return out;
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ]);

function nameAt(message: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = from;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}
