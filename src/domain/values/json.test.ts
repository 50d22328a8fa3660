import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./errors.ts";
import { parseJson } from "./json.ts";
import { MAX_NAMES, MAX_VALUES } from "./json-bounds.ts";

const parse = (text: string) => parseJson(new Uint8Array(Buffer.from(text)));
const nested = (open: string, close: string, levels: number) => `{"x":${open.repeat(levels)}${close.repeat(levels)}}`;

/** What a body is refused with: the code and the sentence, or the wrong field. */
function refusal(text: string): [string, string] {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return [error.code, error.details?.[0]?.field ?? error.message];
  }
  return ["taken", ""];
}

test("a body may be nested 64 deep, counted outside of strings", () => {
  assert.deepEqual(refusal(nested("[", "]", 63)), ["taken", ""]);
  assert.deepEqual(refusal(`{"x":"${"[{".repeat(100)}\\"${"[".repeat(100)}"}`), ["taken", ""]);
  assert.deepEqual(refusal(`[${Array.from({ length: 100 }, () => '{"a":[]}').join(",")}]`), ["taken", ""]);
  const deep = ["invalid_request", "The body is nested deeper than 64 levels"];
  assert.deepEqual(refusal(nested("[", "]", 64)), deep);
  assert.deepEqual(refusal(`{"x":${'{"a":'.repeat(64)}1${"}".repeat(65)}`), deep);
  assert.deepEqual(refusal(`"a string that ends" ${"[".repeat(65)}`), deep);
});

test("a body of more values than fit into memory is refused by their number, before it is parsed", () => {
  assert.deepEqual(refusal(`{"x":[${"{},".repeat(MAX_VALUES / 2)}{}]}`), [
    "payload_too_large",
    `The body has more values than ${MAX_VALUES}`,
  ]);
  assert.deepEqual(refusal(`{"x":"${",".repeat(MAX_VALUES + 1)}"}`), ["taken", ""]);
  // 100,000 leads of 40 fields.
  const lead = `{${Array.from({ length: 40 }, (_, i) => `"f${i}":1`).join(",")}}`;
  assert.deepEqual(refusal(`{"x":[${`${lead},`.repeat(99_999)}${lead}]}`), ["taken", ""]);
});

test("a body may have 10,000 different names, however often each comes", () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `"${i.toString(36)}":1`);
  const tooMany = ["payload_too_large", `The body has more different field names than ${MAX_NAMES}`];
  assert.deepEqual(refusal(`{${names(MAX_NAMES).join(",")}}`), ["taken", ""]);
  assert.deepEqual(refusal(`{${names(MAX_NAMES + 1).join(",")}}`), tooMany);
  const each = Array.from({ length: 50 }, () => `{${names(MAX_NAMES / 100).join(",")}}`);
  assert.deepEqual(refusal(`[${each.join(",")}]`), ["taken", ""]);
  assert.deepEqual(
    refusal(
      `[${names(MAX_NAMES + 1)
        .map((name) => `{${name}}`)
        .join(",")}]`,
    ),
    tooMany,
  );
  // A name may begin another, and end in what looks like the end of one.
  assert.deepEqual(refusal(String.raw`{"a":1,"ab":1,"a\\":1,"a\"":1,"":1}`), ["taken", ""]);
});

test("a character that cannot be stored is reported with the path to it", () => {
  assert.deepEqual(refusal('{"a":[{"b":"ok"},{"b":["x","\\u0000"]}]}'), ["invalid_request", "a[1].b[1]"]);
  assert.deepEqual(refusal('{"a":{"b":{"\\ud800":1}}}'), ["invalid_request", "a.b"]);
  assert.deepEqual(refusal('{"\\u0000":1}'), ["invalid_request", "body"]);
  assert.deepEqual(refusal('{"a":"\\u0041\\ud83d\\ude00"}'), ["taken", ""]);
});

test("a string that does not end is not JSON", () => {
  assert.deepEqual(refusal('{"a":"\\'), ["invalid_request", "The body must be valid JSON"]);
});
