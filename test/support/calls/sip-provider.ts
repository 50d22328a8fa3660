import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { SipRequest } from "#adapters/sip-messages/message.ts";
import { parseMessage } from "#adapters/sip-messages/parse-message.ts";

type Owner = { after(close: () => unknown): unknown };

export type SipProvider = {
  port: number;
  /** Whatever it was asked, as it came. */
  asked: { message: SipRequest; text: string }[];
  of(method: string): SipRequest[];
};

/** A provider's server that answers each method by a status line, and further header lines, an empty one, a body; undefined = silence. */
export async function sipProvider(
  owner: Owner,
  answers: (method: string, text: string) => readonly string[] | undefined,
  address = "127.0.0.1",
): Promise<SipProvider> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  owner.after(() => socket.close());
  const asked: SipProvider["asked"] = [];
  socket.on("message", (bytes, from) => {
    const message = parseMessage(bytes, false);
    if (message.kind !== "request") return;
    const text = bytes.toString();
    asked.push({ message, text });
    const said = answers(message.method, text);
    if (said === undefined) return;
    const [status, ...more] = said;
    const taken = text.split("\r\n").filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    const kept = taken.map((line) => (line.startsWith("To:") && !line.includes(";tag=") ? `${line};tag=t` : line));
    const at = more.indexOf("");
    const [headers, body] = at < 0 ? [more, ""] : [more.slice(0, at), `${more.slice(at + 1).join("\r\n")}\r\n`];
    const length = `Content-Length: ${body.length}`;
    socket.send([`SIP/2.0 ${status}`, ...kept, ...headers, length, "", body].join("\r\n"), from.port, from.address);
  });
  const of = (method: string) => asked.flatMap(({ message }) => (message.method === method ? [message] : []));
  return { port: socket.address().port, asked, of };
}

/** An answer to an INVITE: a telephone at an address that has sound at a port. */
export const answeredAt = (contact: string, address = "127.0.0.1", port = 4_000): string[] => [
  ...["200 OK", `Contact: <${contact}>`, "Content-Type: application/sdp", ""],
  ...["v=0", `o=- 1 1 IN IP4 ${address}`, "s=-", `c=IN IP4 ${address}`, "t=0 0", `m=audio ${port} RTP/AVP 0`],
];
