import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "#ports/language-model.ts";
import { askPatiently } from "./patience.ts";

const { signal } = new AbortController();
const failed = (retryable: boolean, retryAfterMs?: number) =>
  new ModelError("no", { retryable, vendorCode: "503", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

/** Asks what fails so often, and then answers; the times at which it was asked, by a clock that runs only while something waits. */
async function tries(errors: readonly Error[]): Promise<{ tries: number; answer: unknown }> {
  let n = 0;
  const ask = async () => {
    const error = errors[n++];
    if (error) throw error;
    return "answer";
  };
  const answer = await askPatiently(ask, signal, () => 0).catch((error: unknown) => error);
  return { tries: n, answer };
}

test("what passes is asked for three times at most, what does not once", async () => {
  assert.deepEqual(await tries([]), { tries: 1, answer: "answer" });
  assert.deepEqual(await tries([failed(true), failed(true)]), { tries: 3, answer: "answer" });
  const last = failed(true);
  assert.deepEqual(await tries([failed(true), failed(true), last]), { tries: 3, answer: last });
  const refused = failed(false);
  assert.deepEqual(await tries([refused]), { tries: 1, answer: refused });
});

test("a Retry-After that is longer than a contact looks at the phone ends the turn at once", async () => {
  const busy = failed(true, 60_000);
  assert.deepEqual(await tries([busy]), { tries: 1, answer: busy });
});

test("an abort ends the wait, with its own reason", async () => {
  const stop = new AbortController();
  const waiting = askPatiently(async () => {
    stop.abort(new Error("stopping"));
    throw failed(true);
  }, stop.signal);
  await assert.rejects(waiting, /stopping/);
  const later = new AbortController();
  const asked = askPatiently(async () => {
    setImmediate(() => later.abort(new Error("stopping later")));
    throw failed(true, 5_000);
  }, later.signal);
  await assert.rejects(asked, /stopping later/);
});
