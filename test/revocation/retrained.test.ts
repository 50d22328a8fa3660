import assert from "node:assert/strict";
import { test } from "node:test";
import { writeNetwork } from "#domain/revocation/network.ts";
import { WEIGHTS } from "#domain/revocation/weights.ts";
import { readExamples, readSaid } from "../../scripts/revocation/examples.ts";
import { learn } from "../../scripts/revocation/learn.ts";
import { SEEDS } from "../../scripts/revocation/weights-file.ts";

test("the first network that ships is what its examples teach", () => {
  const { bytes, scales } = writeNetwork(learn([...readExamples(), ...readSaid("learn")], SEEDS[0]!));
  assert.deepEqual(scales, WEIGHTS[0]!.scales);
  assert.ok(bytes === WEIGHTS[0]!.bytes, "other bytes: npm run revocation:train");
});
