import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** An IPv4 address as a socket that listens for both kinds writes it. */
const MAPPED = "::ffff:";

/** Some proxies write the client's port behind its address. */
const WITH_PORT = /^\[?([\da-f:.]{2,45}?)\]?(?::\d{1,5})?$/i;

/** An address as one is written everywhere here; undefined for what is none. */
function written(text: string): string | undefined {
  const bare = isIP(text) === 0 ? (WITH_PORT.exec(text)?.[1] ?? "") : text;
  if (isIP(bare) === 0) return undefined;
  const plain = bare.toLowerCase().startsWith(MAPPED) ? bare.slice(MAPPED.length) : bare;
  return isIP(plain) === 4 ? plain : bare.toLowerCase();
}

/**
 * Who asks: the last address of X-Forwarded-For that is no trusted proxy's, else whoever connects. What a proxy passes on that is no address
 * counts as the proxy's own. The only reader of `request.ip`.
 */
export function addressOf(request: FastifyRequest): string {
  return written(request.ip) ?? peerOf(request);
}

/** Who connects, whoever it is for. */
export const peerOf = ({ socket }: FastifyRequest): string => written(socket.remoteAddress ?? "") ?? "";

/** Whether the client's connection is encrypted: a trusted proxy says so, since no TLS ends here. */
export const isByTls = (request: FastifyRequest): boolean => request.protocol?.toLowerCase() === "https";

/** What reached us, without asking the client what it is called: a Host header is whatever its sender likes. */
export function listeningAt({ socket }: FastifyRequest): string {
  const address = written(socket.localAddress ?? "");
  // Only what is injected by tests has no socket: its links are relative.
  if (address === undefined || socket.localPort === undefined) return "";
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${socket.localPort}`;
}
