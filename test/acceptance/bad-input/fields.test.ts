import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnFailure } from "#test/fuzz/checks.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { type Mutant, mutantsOf } from "#test/support/api/bad-values.ts";
import { type Described, fits, nonconformance, readOperations, urlOf } from "#test/support/api/openapi.ts";
import type { Answer } from "#test/support/api/parley.ts";
import { aWorld } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { processorMsOf } from "#test/support/processes/processor-ms.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { sampled } from "#test/support/source/draw.ts";
import { atOnce } from "#test/support/time/at-once.ts";

/** Requests at one time. */
const AT_ONCE = 4;
/** As long as the api computes for one of them, and for those beside it, at most: whatever else the machine does is not in it. */
const COMPUTES_MS = 5_000;
/** Heaps breathe by about this much between two collections. */
const SLACK_BYTES = 100 * 1024 * 1024;

/** A wrong field that is reported covers those inside it, and a reported part stands for its whole. */
const names = (field: string, at: string) => field === at || field.startsWith(at) || at.startsWith(field);

test("every field of every body", async (t) => {
  const api = await startApiProcess(t);
  const client = await openClient(t, api.databaseUrl);
  const withBody = (await readOperations(api)).filter((operation) => operation.body !== undefined);
  const operations = sampled(withBody, 6, ({ id }) => id);
  const world = await aWorld(api);
  const tried = { requests: 0, longestMs: 0 };
  const again: (() => Promise<Answer>)[] = [];

  const send = async (
    operation: Described,
    mutant: Mutant,
    params: Record<string, string>,
    query = {},
  ): Promise<Answer> => {
    const before = processorMsOf(api.child.pid!);
    const answer = await api.request(operation.method, urlOf(operation.path, params, query), mutant.text);
    tried.requests++;
    tried.longestMs = Math.max(tried.longestMs, processorMsOf(api.child.pid!) - before);
    return answer;
  };

  for (const operation of operations) {
    const { params, query, body } = await world.valid(operation, { full: true });
    const mutants = mutantsOf(operation.body!, body);
    const wrong = mutants.filter(({ text }) => !fits(operation.body!, JSON.parse(text)));
    const strange = mutants.filter((mutant) => !wrong.includes(mutant));

    await t.test(
      `${operation.id}: what is not of the schema is a 400 that names the field, and nothing is written (B051-B071, ${wrong.length} bodies)`,
      async () => {
        const before = await digestOfRows(client);
        const problems: string[] = [];
        await atOnce(AT_ONCE, wrong, async (mutant) => {
          again.push(() => send(operation, mutant, params, query));
          const answer = await send(operation, mutant, params, query);
          const problem = refusal(operation, mutant, answer);
          if (problem) problems.push(`${mutant.b} ${mutant.at}, ${mutant.what}: ${problem}`);
        });
        assert.deepEqual(problems, []);
        assert.deepEqual(await digestOfRows(client), before);
      },
    );

    await t.test(
      `${operation.id}: what is strange but of the schema is taken or refused in words, never a 5xx (${strange.length} bodies)`,
      async () => {
        const problems: string[] = [];
        await atOnce(AT_ONCE, strange, async (mutant) => {
          const answer = await send(operation, mutant, params, query);
          const problem =
            answer.status >= 500 && !isOwnFailure(answer)
              ? `${answer.status} ${answer.body.error}`
              : nonconformance(operation, answer);
          if (problem) problems.push(`${mutant.b} ${mutant.at}, ${mutant.what}: ${problem}`);
        });
        assert.deepEqual(problems, []);
      },
    );
  }

  await t.test(
    "each is answered in time, and the api's memory stays where it was when all of it comes again",
    async () => {
      const before = api.residentBytes();
      await atOnce(AT_ONCE, again, async (repeat) => void (await repeat()));
      const after = api.residentBytes();
      t.diagnostic(
        `${tried.requests} requests, of at most ${tried.longestMs} ms of work, resident ${mb(before)} -> ${mb(after)} MB`,
      );
      assert.ok(tried.longestMs < COMPUTES_MS, `${tried.longestMs} ms`);
      assert.ok(after < before + SLACK_BYTES, `${mb(before)} -> ${mb(after)} MB`);
      assert.deepEqual(api.complaints, []);
    },
  );
});

const mb = (bytes: number): number => Math.round(bytes / 1024 / 1024);

function refusal(operation: Described, mutant: Mutant, answer: Answer): string | undefined {
  const said = `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
  // A string of 1 MB makes the body larger than most operations take.
  if (answer.status === 413 && mutant.b === "B060") return nonconformance(operation, answer);
  // Another tenant's name is refused before its form is looked at.
  if (answer.status === 403 && mutant.at === "tenant_id") return nonconformance(operation, answer);
  if (answer.status !== 400) return said;
  if (!wrongFields(answer).some((field) => names(field, mutant.at))) return `does not name it: ${said}`;
  if (answer.headers.get("x-request-id") !== answer.body.request_id) return `no request id: ${said}`;
  return nonconformance(operation, answer);
}
