import { createSocket } from "node:dgram";
import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { freePort, type Program, start } from "./programs.ts";

/** Where it is asked what to do with a call's sound (the ng protocol). */
export type Rtpengine = Program & { port: number };

/** Between those of the peers and those of our own calls' sound. */
const PORTS = { first: 20_000, last: 21_998 };
const TRIES = 200;

/** A relay of sound in user space, on loopback. It answers when this resolves. */
export async function rtpengine(owner: Owner): Promise<Rtpengine> {
  const port = await freePort();
  const args = [
    ...["--table=-1", "--foreground", "--log-stderr", "--log-level=4", "--no-redis-required", "--num-threads=2"],
    ...["--interface=127.0.0.1", `--listen-ng=127.0.0.1:${port}`],
    ...[`--port-min=${PORTS.first}`, `--port-max=${PORTS.last}`],
  ];
  const program = start(owner, "rtpengine", args, aFolder("peer"));
  await answers(owner, port, program);
  return { ...program, port };
}

async function answers(owner: Owner, port: number, program: Program): Promise<void> {
  const socket = createSocket("udp4");
  owner.after(() => socket.close());
  let isThere = false;
  socket.on("message", () => {
    isThere = true;
  });
  socket.on("error", () => {});
  for (let tries = 1; !isThere; tries++) {
    if (tries > TRIES) throw new Error(`rtpengine never answered: ${program.said()}`);
    socket.send(`${tries}ready d7:command4:pinge`, port, "127.0.0.1");
    await pause(50);
  }
}
