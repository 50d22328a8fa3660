import assert from "node:assert/strict";
import { test } from "node:test";
import { createCadence } from "./cadence.ts";

/** The verdicts of a rhythm, with their times: speech and silence in turn, milliseconds each, silence first. */
function verdicts(...turns: number[]) {
  const cadence = createCadence();
  const seen: string[] = [];
  let ms = 0;
  turns.forEach((length, index) => {
    if (index % 2 === 1) cadence.speech(ms);
    else if (index > 0) cadence.silence(ms);
    for (const end = ms + length; ms < end; ms += 20) {
      const verdict = cadence.check(ms);
      const said = verdict && `${verdict.answerer}${verdict.isSure ? "" : "?"}`;
      if (said !== undefined && said !== seen.at(-1)?.split(" ")[0]) seen.push(`${said} ${ms}`);
    }
  });
  return seen;
}

test("a hello and a pause are a person", () => {
  assert.deepEqual(verdicts(300, 600, 2_000), ["human 1400"]);
  assert.deepEqual(verdicts(300, 800, 300, 900, 2_000), ["human 2800"]);
});

test("silence is a person who listens, after 1.2 s", () => {
  assert.deepEqual(verdicts(3_000), ["human? 1200"]);
});

test("speech that goes on is a recording, at 4 s", () => {
  assert.deepEqual(verdicts(200, 9_000, 100), ["voicemail? 4200"]);
});

test("a company's greeting is a person's when it waits", () => {
  assert.deepEqual(verdicts(200, 3_300, 2_000), ["human? 4400"]);
});

test("a recording that neither goes on nor beeps was a person", () => {
  assert.deepEqual(verdicts(200, 5_000, 3_000), ["voicemail? 4200", "human? 7200"]);
});

test("nobody has answered while it rings on", () => {
  const cadence = createCadence();
  cadence.rings(1_000);

  assert.equal(cadence.check(5_900), undefined);
  assert.equal(cadence.check(6_000)?.answerer, "human");
});
