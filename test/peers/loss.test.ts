import assert from "node:assert/strict";
import { test } from "node:test";
import { pocketsphinxInstalled } from "#adapters/offline-speech/speech-to-text.ts";
import { aPlan } from "#test/support/calls/plan.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { baresip } from "./baresip.ts";
import { share } from "./likeness.ts";
import { aLine, spoken } from "./line.ts";
import { lossyNetwork } from "./lossy-network.ts";
import { until } from "./parley.ts";
import { missing } from "./programs.ts";

const skip = missing("baresip") || (pocketsphinxInstalled() ? false : "pocketsphinx is not installed");

test("where every fifth packet is lost and every tenth comes late the call goes on, and its recording is as long as it was and has what was said", {
  skip,
}, async (t) => {
  await heldAgain(t, async (owner) => {
    const story = "Hello, the quick brown fox jumps over the lazy dog.";
    const phone = await baresip(owner, { source: await spoken(300, story, 60_000), jitter: "2-6" });
    const network = await lossyNetwork(owner, phone.port, { lost: 0.2, late: 0.1, seed: 7 });
    const { line, sidesOf } = await aLine(owner, network);
    const call = line.begin(
      aPlan({ contactPhone: "phone" }),
      async () => {},
      () => true,
    );
    // Nine seconds: the one and then the other.
    await until(() => network.count.all > 900, "they talk");
    call.stop("agent_hangup");
    const report = await call.report;

    assert.deepEqual([report.status, report.reason], ["ended", "agent_hangup"]);
    const { all, lost, late } = network.count;
    assert.ok(lost / all > 0.15 && late / all > 0.06, JSON.stringify(network.count));
    const { contact, agent } = sidesOf(report);
    for (const [side, samples] of Object.entries({ contact, agent })) {
      const off = Math.abs(samples.length / 8 / report.durationMs - 1);
      assert.ok(off < 0.02, `${side}: ${samples.length / 8} of ${report.durationMs} ms`);
    }
    const heard = share(phone.played(), contact);
    assert.ok(heard.likeness > 0.7, `${JSON.stringify(heard)} of theirs in ours`);
    const said = share(agent, phone.heard());
    t.diagnostic(JSON.stringify({ count: network.count, durationMs: report.durationMs, heard, said }));
    assert.ok(said.likeness > 0.4, `${JSON.stringify(said)} of ours in theirs`);
  });
});
