import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { answerChallenge, bestChallenge } from "#adapters/sip-messages/digest.ts";
import { streamFramer } from "#adapters/sip-messages/framer.ts";
import { header, type SipResponse } from "#adapters/sip-messages/message.ts";
import { parseMessage } from "#adapters/sip-messages/parse-message.ts";
import { until } from "#test/support/time/until.ts";

type Owner = { after(close: () => unknown): unknown };

export type SipSender = {
  send(bytes: string | Buffer): void;
  /** Everything that came back, messages only. */
  answers: SipResponse[];
  /** What came besides, over UDP. */
  requests: string[];
  /** Over UDP. */
  port: number;
  /** The answer number `n`, from 0, once it is there. */
  answer(n: number): Promise<SipResponse>;
  isClosed(): boolean;
};

const AGENT = { host: "127.0.0.1" };

function taking(answers: SipResponse[], bytes: Buffer, requests: string[]): void {
  const message = parseMessage(bytes, false);
  if (message.kind === "response") answers.push(message);
  else requests.push(bytes.toString());
}

const waiting = (answers: readonly SipResponse[]) => (n: number) =>
  until(`answer ${n}`, async () => answers[n], 10_000);

/** Whoever sends datagrams from an address of this machine: 127.0.0.0/8 are all ours. */
export async function udpSender(owner: Owner, port: number, address: string): Promise<SipSender> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  let isClosed = false;
  owner.after(() => isClosed || socket.close());
  socket.on("close", () => {
    isClosed = true;
  });
  const answers: SipResponse[] = [];
  const requests: string[] = [];
  socket.on("message", (bytes) => taking(answers, bytes, requests));
  return {
    send: (bytes) => socket.send(bytes, port, AGENT.host),
    answers,
    requests,
    port: socket.address().port,
    answer: waiting(answers),
    isClosed: () => isClosed,
  };
}

/** Whoever opens a connection from an address of this machine. */
export async function tcpSender(owner: Owner, port: number, address: string): Promise<SipSender> {
  const socket = connect({ ...AGENT, port, localAddress: address });
  owner.after(() => socket.destroy());
  let isClosed = false;
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  await once(socket, "connect").catch(() => {});
  const answers: SipResponse[] = [];
  const requests: string[] = [];
  const framer = streamFramer({ message: (bytes) => taking(answers, bytes, requests), ping() {} });
  socket.on("data", (bytes) => framer.push(bytes));
  const send = (bytes: string | Buffer) => void socket.write(bytes);
  return { send, answers, requests, port: 0, answer: waiting(answers), isClosed: () => isClosed };
}

/** As much as the smallest telephone offers. */
const OFFER = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n";

/** A request, whole. `more` are header lines. */
export function sipRequest(
  method: string,
  options: { uri?: string; callId?: string; cseq?: number; more?: readonly string[]; body?: string; via?: string } = {},
): string {
  const { uri = "sip:+12125550100@127.0.0.1", callId = "c1", cseq = 1, more = [], via = "192.0.2.9" } = options;
  const body = options.body ?? (method === "INVITE" ? OFFER : "");
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${via};branch=z9hG4bK${callId}${cseq}`,
    "From: <sip:+12125550123@127.0.0.1>;tag=1",
    "To: <sip:+12125550100@127.0.0.1>",
    `Call-ID: ${callId}`,
    `CSeq: ${cseq} ${method}`,
    "Contact: <sip:+12125550123@127.0.0.1>",
    "Max-Forwards: 70",
    "User-Agent: somebody",
    ...more,
    ...(body === OFFER ? ["Content-Type: application/sdp"] : []),
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

/** The header that answers a challenge. */
export function authorization(
  challenged: SipResponse,
  credentials: { username: string; password: string },
  count = 1,
): string {
  const challenge = bestChallenge([header(challenged, "www-authenticate")!])!;
  const uri = "sip:+12125550100@127.0.0.1";
  return `Authorization: ${answerChallenge(challenge, credentials, { method: "INVITE", uri }, count, "cn")}`;
}
