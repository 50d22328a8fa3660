import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { freePort, type Program, start } from "./programs.ts";

/** `tlsPort` is listened at where it has a certificate. */
export type Kamailio = Program & { port: number; tlsPort: number };

const MODULES = ["tm", "sl", "rr", "pv", "maxfwd", "textops", "siputils", "auth"];
/** It is given up after this; on a machine with much else to do it takes seconds to begin. */
const TRIES = 200;

/** A proxy over UDP and TCP on loopback with these routes, beside `modules` those that every proxy needs. It answers when this resolves. */
export async function kamailio(
  owner: Owner,
  options: {
    routes: string;
    modules?: readonly string[];
    settings?: readonly string[];
    tls?: { cert: string; key: string };
  },
): Promise<Kamailio> {
  const where = aFolder("peer");
  const port = await freePort();
  const { tls } = options;
  const [cert, key] = [join(where, "cert.pem"), join(where, "key.pem")];
  if (tls)
    for (const [file, text] of [
      [cert, tls.cert],
      [key, tls.key],
    ] as const)
      writeFileSync(file, text);
  const lines = [
    "#!KAMAILIO",
    "debug=1",
    "log_stderror=yes",
    "fork=no",
    "children=1",
    `listen=udp:127.0.0.1:${port}`,
    `listen=tcp:127.0.0.1:${port}`,
    ...(tls ? ["enable_tls=yes", `listen=tls:127.0.0.1:${port + 1}`] : []),
    ...[...MODULES, ...(options.modules ?? []), ...(tls ? ["tls"] : [])].map((name) => `loadmodule "${name}.so"`),
    'modparam("auth", "nonce_count", 1)',
    'modparam("auth", "qop", "auth")',
    ...(tls
      ? [
          `modparam("tls", "certificate", "${cert}")`,
          `modparam("tls", "private_key", "${key}")`,
          'modparam("tls", "tls_method", "TLSv1.2+")',
        ]
      : []),
    ...(options.settings ?? []),
    options.routes,
  ];
  const file = join(where, "kamailio.cfg");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const args = ["-f", file, "-Y", where, "-P", `${join(where, "run")}.pid`, "-m", "32", "-M", "4", "-DD", "-E"];
  const program = start(owner, "kamailio", args, where);
  await answers(port, program);
  return { ...program, port, tlsPort: port + 1 };
}

/** It says nothing when it is ready: an answer to a request does, of whatever kind. */
async function answers(port: number, program: Program): Promise<void> {
  const socket = createSocket("udp4");
  let isThere = false;
  socket.on("message", () => {
    isThere = true;
  });
  socket.on("error", () => {});
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", () => done()));
  const own = socket.address().port;
  // Without hops to go: it is answered here, whatever the routes are.
  const request = (n: number) => `OPTIONS sip:127.0.0.1:${port} SIP/2.0\r
Via: SIP/2.0/UDP 127.0.0.1:${own};branch=z9hG4bKready${n}\r
From: <sip:ready@127.0.0.1>;tag=1\r
To: <sip:ready@127.0.0.1>\r
Call-ID: ready-${own}\r
CSeq: ${n} OPTIONS\r
Max-Forwards: 0\r
Content-Length: 0\r
\r
`;
  for (let tries = 1; !isThere; tries++) {
    if (tries > TRIES) throw new Error(`kamailio never answered: ${program.said()}`);
    socket.send(request(tries), port, "127.0.0.1");
    await pause(50);
  }
  socket.close();
}
