import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setPriority } from "node:os";
import type { Owner } from "#test/support/processes/processes.ts";

/** Debian's peers, where its packages put them. */
const PROGRAMS = {
  sipp: "/usr/bin/sipp",
  baresip: "/usr/bin/baresip",
  kamailio: "/usr/sbin/kamailio",
  rtpengine: "/usr/bin/rtpengine",
  bearerbox: "/usr/sbin/bearerbox",
  smsbox: "/usr/sbin/smsbox",
} as const;
export type PeerName = keyof typeof PROGRAMS;
/** Packages of their own that a program needs for some of it. */
const MODULES = { kamailioTls: "/usr/lib/x86_64-linux-gnu/kamailio/modules/tls.so" } as const;

/** Of what speaks in real time, and of this process, which speaks with it: before all that has time. */
const PRIORITY = -10;
// What is started from here on has it too. A machine that is busy with other tests makes sound late otherwise, as no telephone's would be.
// Only root may; for everybody else test/support/processes/standstill.ts sees that the machine was busy.
try {
  setPriority(PRIORITY);
} catch {
  // Late sound is held again.
}

/** Why a test cannot run here; false when it can. For the option `skip` of a test. */
export function missing(...names: (PeerName | keyof typeof MODULES)[]): string | false {
  const absent = names.map((name) => ({ ...PROGRAMS, ...MODULES })[name]).filter((path) => !existsSync(path));
  return absent.length > 0 && `${absent.join(", ")} is missing`;
}

export type Program = { pid: number; said(): string; ended: Promise<number | null> };

/** Starts one; it is ended by its pid with its owner. */
export function start(owner: Owner, name: PeerName, args: readonly string[], cwd?: string): Program {
  const child = spawn(PROGRAMS[name], args, { stdio: ["ignore", "pipe", "pipe"], cwd });
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("latin1").on("data", (text: string) => {
      said += text;
    });
  }
  const ended = once(child, "exit").then(([code]) => code as number | null);
  owner.after(() => end(child, ended));
  return { pid: child.pid!, said: () => said, ended };
}

/** What has not ended by itself after this is killed. */
const GRACE_MS = 2_000;

/** Asked first: kamailio has children of its own to end. Those that it leaves behind, as it does when it is killed, are killed too. */
async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const children = childrenOf(child.pid!);
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (const { pid, began } of children) if (beganAt(pid) === began) process.kill(pid, "SIGKILL");
}

type Running = { pid: number; began: string };

/** What a process has started, and has not ended. */
export function childrenOf(pid: number): Running[] {
  const listed = readIfThere(`/proc/${pid}/task/${pid}/children`) ?? "";
  return listed
    .split(" ")
    .filter(Boolean)
    .map((child) => ({ pid: Number(child), began: beganAt(Number(child)) }))
    .filter((child): child is Running => child.began !== undefined);
}

/** When a process began, in ticks since the machine did (proc(5)): its number is given to others after it. */
const beganAt = (pid: number): string | undefined =>
  readIfThere(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ")[19];

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Takes a port for this process until it ends, so that no other process of these tests is given it before somebody listens at it: a socket of
 * an abstract name (unix(7)), which the system itself takes away with its process. False when it is taken.
 */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const server = createServer().unref();
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(`\0parley-test-port-${port}`, () => done(true));
  });
}

/** Those that this process has taken. */
const given = new Set<number>();

/**
 * The first of so many ports in a row that were free a moment ago over UDP and TCP, an even one; away from those that the system hands out, and
 * from those of our own calls' sound.
 */
export async function freePort(inRow = 2): Promise<number> {
  for (;;) {
    const first = 12_000 + 2 * Math.floor(Math.random() * 3_990);
    const ports = Array.from({ length: inRow }, (_, i) => first + i);
    if (ports.some((port) => given.has(port))) continue;
    for (const port of ports) given.add(port);
    const free = await Promise.all(ports.map(async (port) => (await claim(port)) && (await isFree(port))));
    if (free.every(Boolean)) return first;
  }
}

const isFree = async (port: number): Promise<boolean> => (await isFreeOverUdp(port)) && (await isFreeOverTcp(port));

async function isFreeOverUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  const free = await new Promise<boolean>((done) => {
    socket.once("error", () => done(false));
    socket.bind(port, "127.0.0.1", () => done(true));
  });
  await new Promise<void>((done) => socket.close(() => done()));
  return free;
}

async function isFreeOverTcp(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => done(true));
  });
  if (free) await new Promise<void>((done) => server.close(() => done()));
  return free;
}
