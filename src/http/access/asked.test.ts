import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fastify from "fastify";
import { Asked } from "./asked.ts";

type Parts = ConstructorParameters<typeof Asked>;
const site = { ctx: undefined, baseUrl: undefined, linkUrl: undefined } as unknown as Parts[0];
const of = { ctx: undefined, caller: undefined, file: undefined } as unknown as Parts[3];

const someTurns = async () => {
  for (let i = 0; i < 20; i++) await turn();
};

/** A route that takes the signal of each request at once or some turns later, and answers when it is let go. */
async function aRoute(t: { after(work: () => Promise<void>): void }, method: "GET" | "POST", isLate: boolean) {
  const app = fastify();
  t.after(() => app.close());
  const asked: { signal: AbortSignal; isGone: Promise<unknown>; answer(): void }[] = [];
  app.route({
    method,
    url: "/",
    async handler(request, reply) {
      if (isLate) await someTurns();
      const { signal } = new Asked(site, request, reply, of);
      await new Promise<void>((answer) => asked.push({ signal, isGone: once(reply.raw, "close"), answer }));
      return {};
    },
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const withBody = method === "POST" && { body: "{}", headers: { "content-type": "application/json" } };
  return async () => {
    const going = new AbortController();
    const answered = fetch(url, { method, signal: going.signal, ...withBody });
    answered.catch(() => {});
    while (asked.length === 0) await turn();
    return { ...asked.pop()!, answered, go: () => going.abort() };
  };
}

for (const isLate of [false, true]) {
  const when = isLate ? "is taken later" : "is taken at once";
  test(`a read that nobody waits for any more is aborted, and none before; its signal ${when}`, async (t) => {
    const ask = await aRoute(t, "GET", isLate);
    const { signal, isGone, answer, go } = await ask();
    await someTurns();
    assert.equal(signal.aborted, false);
    go();
    await isGone;
    assert.equal(signal.aborted, true);
    answer();
  });

  test(`a change is carried through although nobody waits for it; its signal ${when}`, async (t) => {
    const ask = await aRoute(t, "POST", isLate);
    const { signal, isGone, answer, go } = await ask();
    await someTurns();
    assert.equal(signal.aborted, false);
    go();
    await isGone;
    await someTurns();
    assert.equal(signal.aborted, false);
    answer();
  });
}
