import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Owner } from "#test/support/processes/processes.ts";

export type UdpProxy = { port: number; dropped: string[] };

/**
 * Stands before a UDP port of this machine and loses what `drops` says, of either way. A packet's first word distinguishes a request from an
 * answer; `isOut` is towards the port. What is not lost goes on as `change` makes it.
 */
export async function udpProxy(
  owner: Owner,
  target: number,
  drops: (text: string, isOut: boolean) => boolean,
  change: (text: string, isOut: boolean) => string = (text) => text,
): Promise<UdpProxy> {
  const front = await open(owner);
  const back = await open(owner);
  const dropped: string[] = [];
  let client: { address: string; port: number } | undefined;
  front.on("message", (bytes, from) => {
    client = from;
    if (isLost(bytes, true)) return;
    back.send(changed(bytes, true), target, "127.0.0.1");
  });
  back.on("message", (bytes) => {
    if (client === undefined || isLost(bytes, false)) return;
    front.send(changed(bytes, false), client.port, client.address);
  });
  const changed = (bytes: Buffer, isOut: boolean) => Buffer.from(change(bytes.toString("latin1"), isOut), "latin1");
  function isLost(bytes: Buffer, isOut: boolean): boolean {
    const text = bytes.toString("latin1");
    const isDropped = drops(text, isOut);
    if (isDropped) dropped.push(text.slice(0, text.indexOf("\r\n")));
    return isDropped;
  }
  return { port: front.address().port, dropped };
}

export async function open(owner: Owner): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  owner.after(() => socket.close());
  return socket;
}
