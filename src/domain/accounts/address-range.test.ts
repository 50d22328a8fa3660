import assert from "node:assert/strict";
import { test } from "node:test";
import { isInRanges, rangesOf, readRange } from "./address-range.ts";

test("an address is in a range by the bits that the range names", () => {
  const ranges = rangesOf(["203.0.113.0/24", "198.51.100.7", "10.1.2.3/8", "2001:db8::/32", "::1"]);
  for (const inside of [
    "203.0.113.0",
    "203.0.113.255",
    "198.51.100.7",
    "10.255.0.1",
    "2001:db8:ffff::1",
    "::1",
    "203.0.113.128/25",
  ]) {
    assert.ok(isInRanges(inside, ranges), inside);
  }
  for (const outside of [
    "203.0.114.0",
    "198.51.100.8",
    "11.0.0.0",
    "2001:db9::",
    "::2",
    "::203.0.113.1",
    "203.0.113.0/23",
    "",
    "nobody",
  ]) {
    assert.ok(!isInRanges(outside, ranges), outside);
  }
  assert.ok(isInRanges("255.255.255.255", rangesOf(["0.0.0.0/0"])));
  assert.ok(!isInRanges("::1", rangesOf(["0.0.0.0/0"])));
  assert.ok(isInRanges("::1", rangesOf(["::/0"])));
});

test("what is no address or network is refused", () => {
  const wrong = [
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.04",
    "1.2.3.4/33",
    "1.2.3.4/",
    "1.2.3.4/8/8",
    "1.2.3.4/-1",
    "::/129",
  ];
  const wrongOfSix = [
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "g::",
    "12345::",
    ":::",
    "::1%eth0",
  ];
  for (const text of [...wrong, ...wrongOfSix]) assert.equal(readRange(text), undefined, text);
});
