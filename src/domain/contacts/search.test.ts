import assert from "node:assert/strict";
import { test } from "node:test";
import { contactSearch } from "./search.ts";

test("the beginning of a number is one, however it is written", () => {
  for (const text of ["(212) 555-01", "21255501", "1 212 555 01", "+1212.555.01"]) {
    assert.deepEqual(contactSearch(text), { kind: "number", pattern: "+121255501" }, text);
  }
  assert.deepEqual(contactSearch("+44 20"), { kind: "number", pattern: "+4420" });
});

test("seven digits may also be a number without its area code", () => {
  assert.deepEqual(contactSearch("555-0152"), { kind: "local", pattern: "+15550152", digits: "5550152" });
  assert.deepEqual(contactSearch("12) 555-0152"), { kind: "number", pattern: "+125550152" }, "begins with a 1");
  assert.deepEqual(contactSearch("02 555 0152"), { kind: "local", pattern: "+1025550152", digits: "025550152" });
  for (const text of ["555-015", "155-0152", "(212) 555-0152"]) assert.equal(contactSearch(text)?.kind, "number", text);
});

test("names are patterns in small letters, in which nothing stands for anything", () => {
  assert.deepEqual(contactSearch("  Ann "), { kind: "name", pattern: "ann%" });
  assert.deepEqual(contactSearch("Mary Ann Sm"), {
    kind: "names",
    patterns: ["mary%", "mary ann sm%", "sm%", "ann sm%"],
  });
  assert.deepEqual(contactSearch("5%_\\"), { kind: "name", pattern: "5\\%\\_\\\\%" });
  assert.equal(contactSearch("  "), undefined);
});
