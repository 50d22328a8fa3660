import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { freePort, type Program, start } from "./programs.ts";

export type Sipp = Program & { port: number };

/** Of a whole scenario. What is lost is sent again for 32 s (RFC 3261, 64 T1), and its turn may come late. */
const TIMEOUT = "60s";
/** In `/proc/net/tcp`, proc_net(5). */
const TCP_LISTENS = "0A";

const sdp = (more = "") => `v=0
o=sipp 1 1 IN IP4 127.0.0.1
s=-
c=IN IP4 127.0.0.1
t=0 0
m=audio [media_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
${more}`;

const message = (text: string, attributes = "") => `<send ${attributes}><![CDATA[\n${text}\n]]></send>`;

/** What a scenario is made of, from sipp's side. */
export const step = {
  receive: (request: string, attributes = "", action = "") =>
    `<recv request="${request}" ${attributes}>${action && `<action>${action}</action>`}</recv>`,
  expect: (status: number, attributes = "") => `<recv response="${status}" ${attributes}/>`,
  pause: (ms: number) => `<pause milliseconds="${ms}"/>`,
  /** An answer to what came last. `[contact_port]` is the port itself unless a proxy stands before it. */
  answer: (status: string, { headers = "", body = "", attributes = "", tag = ";tag=[pid]sipp[call_number]" } = {}) =>
    message(
      `SIP/2.0 ${status}
[last_Via:]
[last_Record-Route:]
[last_From:]
[last_To:]${tag}
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:sipp@127.0.0.1:[contact_port]>
${headers}${headers && "\n"}${body && "Content-Type: application/sdp\n"}Content-Length: [len]

${body}`,
      attributes,
    ),
  sdp,
  message,
};

/** Takes calls, one after the other, and ends with 0 when all went as the steps say. */
export async function sippServer(
  owner: Owner,
  steps: readonly string[],
  options: { calls?: number; contactPort?: number; args?: readonly string[]; port?: number } = {},
): Promise<Sipp> {
  const port = options.port ?? (await freePort());
  return run(
    owner,
    steps,
    port,
    ["-key", "contact_port", String(options.contactPort ?? port), ...(options.args ?? [])],
    options.calls,
  );
}

/** Places calls to a port of ours. */
export async function sippClient(
  owner: Owner,
  target: number,
  steps: readonly string[],
  options: { calls?: number; args?: readonly string[] } = {},
): Promise<Sipp> {
  const port = await freePort();
  const args = [
    `127.0.0.1:${target}`,
    "-s",
    "+12125550100",
    "-key",
    "contact_port",
    String(port),
    ...(options.args ?? []),
  ];
  return run(owner, steps, port, args, options.calls);
}

async function run(
  owner: Owner,
  steps: readonly string[],
  port: number,
  args: readonly string[],
  calls = 1,
): Promise<Sipp> {
  const where = aFolder("peer");
  const file = join(where, "scenario.xml");
  writeFileSync(
    file,
    `<?xml version="1.0" encoding="ISO-8859-1"?>\n<scenario name="peer">\n${steps.join("\n")}\n</scenario>\n`,
  );
  // For sound and for pictures, which it has sockets for whether there are any or not.
  const media = await freePort(4);
  const control = await freePort();
  const fixed = ["-sf", file, "-i", "127.0.0.1", "-p", String(port), "-mp", String(media), "-cp", String(control)];
  const rest = ["-m", String(calls), "-nostdin", "-trace_err", "-timeout", TIMEOUT, "-timeout_error", ...args];
  const program = start(owner, "sipp", [...fixed, ...rest], where);
  let isOver = false;
  program.ended.then(() => {
    isOver = true;
  });
  while (!isOver && !listens(args.includes("t1") ? "tcp" : "udp", port)) await pause(5);
  return { ...program, port };
}

/** Whether something listens at a port of this machine: what is sent before is lost. */
function listens(protocol: "udp" | "tcp", port: number): boolean {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const local = ["0100007F", "00000000"].map((address) => address + end);
  const lines = readFileSync(`/proc/net/${protocol}`, "utf8").split("\n");
  return lines.some((line) => {
    const [, here, , state] = line.trim().split(/\s+/);
    return local.includes(here!) && (protocol === "udp" || state === TCP_LISTENS);
  });
}
