import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** What the host answers for a file. */
export type HostedMedia =
  | { type: string; bytes: Uint8Array }
  | { status: number }
  | { redirect: string }
  /** So many bytes, in pieces, without saying how many. */
  | { endless: number; type: string }
  /** Nothing is ever answered. */
  | "silent";

export type MediaHost = {
  url: string;
  /** By their paths, such as `/cat.jpg`. */
  files: Map<string, HostedMedia>;
  requests: { path: string; headers: IncomingHttpHeaders }[];
};

/** One pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Stands where a carrier keeps what came with texts. */
export async function startMediaHost(t: TestContext): Promise<MediaHost> {
  const host: MediaHost = { url: "", files: new Map(), requests: [] };
  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url!, "http://x");
    host.requests.push({ path, headers: request.headers });
    const file = host.files.get(path);
    response.on("error", () => {});
    if (file === "silent") return;
    if (file === undefined) response.writeHead(404).end();
    else if ("status" in file) response.writeHead(file.status).end();
    else if ("redirect" in file) response.writeHead(307, { location: file.redirect }).end();
    else if ("endless" in file) {
      response.writeHead(200, { "content-type": file.type });
      for (let left = file.endless; left > 0; left -= 65_536) response.write(Buffer.alloc(65_536));
      response.end();
    } else response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.length }).end(file.bytes);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}
