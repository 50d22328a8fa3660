// A process of its own that signs in with wrong passwords, all at once: what it does is not the time of whoever measures beside it.
// `node test/support/accounts/sign-in-flood.ts`, with a FloodOrder as a message; answers with "begun", and a FloodResult.
import type { Answer } from "#test/support/api/parley.ts";
import { client } from "#test/support/api/parley.ts";
import { signIn } from "./person.ts";

export type FloodOrder = { nodes: string[]; guesses: { email: string; address: string }[] };
export type FloodResult = { evaluated: number; putOff: number; others: string[]; tookMs: number };

process.once("message", async ({ nodes, guesses }: FloodOrder) => {
  const clients = nodes.map((url) => client(url, ""));
  const began = performance.now();
  const all = guesses.map(({ email, address }, i) =>
    signIn(clients[i % clients.length]!, email, `wrong password ${i}`, { "x-forwarded-for": address }),
  );
  process.send!("begun");
  process.send!(resultOf(await Promise.all(all), performance.now() - began));
  process.disconnect();
});

function resultOf(answers: readonly Answer[], tookMs: number): FloodResult {
  const isPutOff = ({ status, headers }: Answer) => status === 429 && Number(headers.get("retry-after")) >= 1;
  const evaluated = answers.filter(({ status }) => status === 401).length;
  const putOff = answers.filter(isPutOff).length;
  const others = answers.filter((answer) => answer.status !== 401 && !isPutOff(answer));
  return { evaluated, putOff, others: others.map(({ status, body }) => `${status} ${JSON.stringify(body)}`), tookMs };
}
