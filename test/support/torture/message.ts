/** What becomes of a request at our agent, which takes calls and has no other service: `taken` is that somebody decides about the call. */
export type Fate = number | "taken" | "dropped";

export type TortureMessage = {
  /** As the RFC calls it. */
  name: string;
  section: string;
  /** What the RFC asks of whoever gets it, in short. */
  asks: string;
  bytes: Buffer;
  fate: Fate;
  /** Where a stream makes it another thing: what is answered, and whether the connection is closed at once. */
  overTcp?: { fates: readonly Fate[]; isClosed?: true; waitsFor?: "bytes" };
};

/** The description of sound that most of them carry. */
export const OFFER = `v=0
o=mhandley 29739 7272939 IN IP4 192.0.2.15
s=-
c=IN IP4 192.0.2.15
t=0 0
m=audio 49217 RTP/AVP 0 12
m=video 3227 RTP/AVP 31
a=rtpmap:31 LPC
`;

const lines = (text: string): string => text.replace(/\n/g, "\r\n");

/**
 * Lines as they go over the wire; `{length}` is the body's. A body of text has its line ends made SIP's, one of bytes stays as it is. Characters are
 * bytes (latin1), so that a message may hold any.
 */
export function wire(head: string, body: string | Buffer = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(lines(body), "utf8") : body;
  const written = lines(`${head.trimStart().replace("{length}", String(bytes.length))}\n\n`);
  return Buffer.concat([Buffer.from(written, "latin1"), bytes]);
}
