import { test } from "node:test";
import { sampled } from "#test/support/source/draw.ts";
import { assertLinear } from "#test/support/source/pumped.ts";
import { PUMPED_TEXTS } from "#test/support/source/pumped-texts.ts";

for (const text of sampled(PUMPED_TEXTS, 10, ({ name }) => name)) {
  test(`no text holds ${text.name}`, (t) => {
    const { pump, ms, ratio } = assertLinear(text);
    t.diagnostic(
      `${text.limit} characters: ${ms.toFixed(2)} ms, twice as many ${ratio.toFixed(1)} x, of ${JSON.stringify(pump)}`,
    );
  });
}
