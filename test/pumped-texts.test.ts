import { test } from "node:test";
import { sampled } from "#test/support/source/draw.ts";
import { assertLinear } from "#test/support/source/pumped.ts";
import { PUMPED_TEXTS } from "#test/support/source/pumped-texts.ts";

for (const it of sampled(PUMPED_TEXTS, 10, ({ name }) => name)) {
  test(`no text holds ${it.name}`, (t) => {
    const { pump, ms, ratio } = assertLinear(it);
    t.diagnostic(
      `${it.limit} characters: ${ms.toFixed(2)} ms, twice as many ${ratio.toFixed(1)} x, of ${JSON.stringify(pump)}`,
    );
  });
}
