import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that the system gives to whoever asks for any, as all other tests do: nobody is given it before its server comes up. */
const [LEAST, MOST] = [20_000, 29_999];

/** A port of this machine, for a server that has to be given one. */
export async function aFreePort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST + 1));
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
