import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { base32, firstIdOf, parseId, publicId, timeOfId } from "./id.ts";

/** The same as arithmetic has it. */
const digits = (uuid: string): string =>
  BigInt(`0x${uuid.replaceAll("-", "")}`)
    .toString(32)
    .padStart(26, "0")
    .replace(/./g, (digit) => "0123456789abcdefghjkmnpqrstvwxyz"[Number.parseInt(digit, 32)]!);

const [LEAST, MOST] = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];

test("an id is its 128 bits in 26 characters, and is read back", () => {
  for (const uuid of [LEAST, MOST, ...Array.from({ length: 1_000 }, () => randomUUID())]) {
    assert.equal(base32(uuid), digits(uuid));
    assert.equal(parseId("contact", publicId("contact", uuid)), uuid);
  }
});

test("what is no id of its kind is none", () => {
  const most = publicId("contact", MOST);
  assert.equal(parseId("agent", most), undefined);
  for (const wrong of ["", "lead_", most.slice(0, -1), `${most}0`, most.replace("_7", "_8"), `${most.slice(0, -1)}u`])
    assert.equal(parseId("contact", wrong), undefined, wrong);
  assert.equal(parseId("contact", `${most.slice(0, -1)}é`), undefined);
});

test("the least id of a time has that time, and comes before all others of it", () => {
  const at = new Date("2026-11-27T04:05:06.789Z");
  assert.deepEqual(timeOfId(firstIdOf(at)), at);
  assert.ok(
    firstIdOf(at) > firstIdOf(new Date(at.getTime() - 1)).replace("-7000-8000-000000000000", "-7fff-bfff-ffffffffffff"),
  );
});
