/** The parameter of a stream that shows which call it is of (never in its address, which others may log). */
export const TICKET = "ticket";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Connects a call's sound with us, in both directions; when the stream ends the call does. */
export const connectTwiml = (url: string, ticket: string): string =>
  `<Response><Connect><Stream url="${escaped(url)}"><Parameter name="${TICKET}" value="${escaped(ticket)}"/></Stream></Connect></Response>`;

/** Turns a call away: as busy, which callers try again, or as a number that is not in service. */
export const rejectTwiml = (reason: "busy" | "rejected"): string => `<Response><Reject reason="${reason}"/></Response>`;

/** Puts the other side through to a number, which sees ours. */
export const transferTwiml = (to: string, from: string): string =>
  `<Response><Dial callerId="${escaped(from)}"><Number>${escaped(to)}</Number></Dial></Response>`;

/** Where the stream comes to: a carrier takes WebSockets over TLS, and a stand-in what its address says. */
export const streamUrl = (base: string): string => `${base.replace(/^http/, "ws")}/stream`;
