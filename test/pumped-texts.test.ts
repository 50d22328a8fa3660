import { test } from "node:test";
import { isSample } from "#test/support/source/draw.ts";
import { assertLinear } from "#test/support/source/pumped.ts";
import { PUMPED_TEXTS } from "#test/support/source/pumped-texts.ts";

for (const text of PUMPED_TEXTS) {
  test(`no text holds ${text.name}`, (t) => {
    const { pump, ms, ratio } = assertLinear(text, isSample);
    t.diagnostic(
      `${text.limit} characters: ${ms.toFixed(2)} ms, twice as many ${ratio.toFixed(1)} x, of ${JSON.stringify(pump)}`,
    );
  });
}
