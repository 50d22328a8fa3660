import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

// The least that a call can cost: a socket each, whose packets go back as they came. The baseline of bench/suites/calls.ts.

export type ToEcho = { do: "open" } | { do: "report" };
export type FromEcho = { say: "opened"; port: number } | { say: "cpu"; ms: number };

let cpu = process.cpuUsage();
process.on("message", async (message) => {
  if ((message as ToEcho).do === "report") {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    process.send!({ say: "cpu", ms: (user + system) / 1_000 } satisfies FromEcho);
    return;
  }
  const socket = createSocket("udp4");
  socket.on("message", (packet, { port, address }) => socket.send(packet, port, address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  process.send!({ say: "opened", port: (socket.address() as AddressInfo).port } satisfies FromEcho);
});
process.on("disconnect", () => process.exit(0));
