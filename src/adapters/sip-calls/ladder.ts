import { header, type SipMessage } from "#adapters/sip-messages/message.ts";
import { parseMessage } from "#adapters/sip-messages/parse-message.ts";

export type Way = "sent" | "received";

/** One message of a ladder: who said it, and what, without anything that is secret. */
export type Step = { way: Way; atMs: number; message: SipMessage };

/** Collects what goes over the wire, for whoever sets a trunk up. More than this is no set-up any more. */
const MAX_STEPS = 60;

export function ladder(now: () => number): { take(way: Way, bytes: Buffer): void; steps(): readonly Step[] } {
  const began = now();
  const steps: Step[] = [];
  return {
    take(way, bytes) {
      if (steps.length >= MAX_STEPS) return;
      const message = parseMessage(bytes, false);
      if (message.kind !== "malformed") steps.push({ way, atMs: Math.round(now() - began), message });
    },
    steps: () => steps,
  };
}

/**
 * A step as a line. Of the headers it has those that say why something was refused: no credentials, no keys of sound, and of a number its first and
 * last digits.
 */
export function lineOf({ way, atMs, message }: Step): string {
  const what =
    message.kind === "request"
      ? `${message.method} ${masked(message.uri)}`
      : `${message.status} ${message.reason} (to ${message.method})`;
  const said = ["reason", "warning", "unsupported", "retry-after"].flatMap((name) => {
    const value = header(message, name);
    return value === undefined ? [] : [`${name}: ${masked(value)}`];
  });
  const sound = /^m=audio \d+ \S+ ([\d ]+)/m.exec(message.body.toString("latin1", 0, 4_000))?.[1];
  const offered = sound === undefined ? [] : [`sound: ${sound.trim()}`];
  return [`${atMs} ms`, way === "sent" ? "->" : "<-", what, ...said, ...offered].join(" ").slice(0, 300);
}

/** Of a number of somebody its first and last digits stay, so that two of them are not mixed up. */
const masked = (text: string): string =>
  text.replace(/\+?\d{8,15}/g, (digits) => `${digits.slice(0, 4)}...${digits.slice(-2)}`);
