import assert from "node:assert/strict";
import { test } from "node:test";
import { zoneWarning } from "./zone-warning.ts";

const lead = (index: number, fields: Record<string, string>) => ({ index, phone: `+1212555010${index}`, fields });

test("contacts whose time zone is none are counted, and the first of them named", () => {
  const fine = [lead(0, {}), lead(1, { time_zone: "US/Eastern" }), lead(2, { timezone: "America/Denver" })];
  assert.deepEqual(zoneWarning(fine, "contacts"), []);
  const wrong = ["Pacfic", "EST", "Mars/Base", "x".repeat(500), "GMT+1", "Eastern Time"];
  const [warning, ...others] = zoneWarning(
    wrong.map((zone, i) => lead(i, i === 2 ? { timezone: zone } : { time_zone: zone })),
    "contacts",
  );
  assert.equal(others.length, 0);
  assert.match(
    warning!,
    /^6 contacts have a time_zone .*: contacts\[0\] \(Pacfic\), contacts\[1\] \(EST\), .* and 1 more$/,
  );
  assert.ok(warning!.length < 500);
});
