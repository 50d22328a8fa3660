import { connect } from "node:net";

export type Load = { url: string; key?: string; connections: number; seconds: number };

/** Requests a second over keep-alive connections, one at a time on each, and each one's milliseconds. */
export async function load({ url, key, connections, seconds }: Load): Promise<{ perSecond: number; ms: number[] }> {
  const { hostname, port, pathname } = new URL(url);
  const request = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n${key ? `x-api-key: ${key}\r\n` : ""}\r\n`;
  const end = performance.now() + seconds * 1000;
  const ms: number[] = [];
  const begin = performance.now();
  const one = () =>
    new Promise<void>((resolve, reject) => {
      let sentAt = 0;
      let answer = "";
      const socket = connect(Number(port), hostname);
      const ask = () => {
        sentAt = performance.now();
        socket.write(request);
      };
      socket.setNoDelay(true);
      socket.on("connect", ask);
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        answer += chunk.toString("latin1");
        const head = answer.indexOf("\r\n\r\n");
        const length = /content-length: (\d+)/i.exec(answer);
        if (head < 0 || !length || answer.length < head + 4 + Number(length[1])) return;
        if (!answer.startsWith("HTTP/1.1 200")) reject(new Error(answer.slice(0, 200)));
        answer = "";
        ms.push(performance.now() - sentAt);
        if (performance.now() < end) ask();
        else {
          socket.destroy();
          resolve();
        }
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return { perSecond: (ms.length / (performance.now() - begin)) * 1000, ms };
}
