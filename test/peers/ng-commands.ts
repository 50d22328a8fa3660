import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Owner } from "#test/support/processes/processes.ts";

type Value = string | number | readonly Value[] | { readonly [key: string]: Value };
/** Rejects with what rtpengine says is wrong. */
export type Ask = (command: string, more: { [key: string]: Value }) => Promise<Reply>;
type Reply = { result?: string; sdp?: string; "error-reason"?: string };

/** It is asked again until it listens, and given up after ten seconds. */
const ASK_EVERY_MS = 200;
const TRIES = 50;

/**
 * Sends commands of rtpengine's ng protocol to one: bencoded, over UDP, with a cookie before each that the answer has too. By these it takes one codec
 * in and gives another out.
 */
export async function ngCommands(owner: Owner, { port }: { port: number }): Promise<Ask> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  owner.after(() => socket.close());
  let asked = 0;
  return async (command, more) => {
    const cookie = `c${++asked}`;
    const message = Buffer.from(`${cookie} ${encode({ command, ...more })}`);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const take = (answer: Buffer) => {
      const text = answer.toString("latin1");
      if (text.startsWith(`${cookie} `)) resolve(decode(text.slice(cookie.length + 1)) as Reply);
    };
    socket.on("message", take);
    let tries = 0;
    const again = () => {
      if (++tries > TRIES) resolve({ result: "error", "error-reason": "rtpengine said nothing" });
      else socket.send(message, port, "127.0.0.1");
    };
    const timer = setInterval(again, ASK_EVERY_MS);
    again();
    const reply = await promise;
    clearInterval(timer);
    socket.off("message", take);
    if (reply.result === "error") throw new Error(`rtpengine: ${reply["error-reason"]}`);
    return reply;
  };
}

function encode(value: Value): string {
  if (typeof value === "number") return `i${value}e`;
  if (typeof value === "string") return `${value.length}:${value}`;
  if (Array.isArray(value)) return `l${value.map(encode).join("")}e`;
  const keys = Object.keys(value).toSorted();
  return `d${keys.map((key) => encode(key) + encode((value as { [key: string]: Value })[key]!)).join("")}e`;
}

function decode(text: string): Value {
  let at = 0;
  const next = (): Value => {
    const kind = text[at]!;
    if (kind === "i") {
      const end = text.indexOf("e", at);
      const number = Number(text.slice(at + 1, end));
      at = end + 1;
      return number;
    }
    if (kind === "l" || kind === "d") {
      const items: Value[] = [];
      for (at++; text[at] !== "e"; ) items.push(next());
      at++;
      if (kind === "l") return items;
      return Object.fromEntries(items.flatMap((item, i) => (i % 2 === 0 ? [[item, items[i + 1]!]] : [])));
    }
    const colon = text.indexOf(":", at);
    const length = Number(text.slice(at, colon));
    at = colon + 1 + length;
    return text.slice(colon + 1, at);
  };
  return next();
}
