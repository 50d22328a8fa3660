import assert from "node:assert/strict";
import { test } from "node:test";
import { countryOfPhone, isTestRange, normalizePhone, prettyPhone } from "./phone.ts";

const phoneOf = (raw: string) => {
  const result = normalizePhone(raw);
  return "phone" in result ? result.phone : `refused: ${result.problem}`;
};
const problemOf = (raw: string) => {
  const result = normalizePhone(raw);
  return "problem" in result ? result.problem : `accepted: ${result.phone}`;
};

test("a US number comes out in E.164 however people write it", () => {
  const ways = [
    "+12125550123",
    "12125550123",
    "2125550123",
    "212-555-0123",
    "(212) 555-0123",
    "+1 (212) 555.0123",
    " 1 212 555 0123 ",
    "+1\u00a0212\u2011555\u20110123",
    "\u202a+12125550123\u202c",
    "011 1 212 555 0123",
    "٢١٢٥٥٥٠١٢٣",
    "+۱۲۱۲۵۵۵۰۱۲۳",
    "＋１２１２５５５０１２３",
    "+1212555٠١٢٣",
  ];
  assert.deepEqual(
    ways.map(phoneOf),
    ways.map(() => "+12125550123"),
  );
});

test("the numbers reserved for tests are valid in every area code, territories and toll-free too", () => {
  for (const areaCode of ["201", "212", "235", "340", "416", "670", "671", "684", "787", "800", "833", "867", "983"]) {
    for (const line of ["0100", "0129", "0142", "0199"]) {
      assert.equal(phoneOf(`+1${areaCode}555${line}`), `+1${areaCode}555${line}`);
    }
  }
});

test("an area code that does not exist is refused, also for a test number", () => {
  for (const areaCode of ["222", "299", "370", "411", "555", "700", "911", "960", "999"]) {
    assert.match(problemOf(`+1${areaCode}5550100`), /area code/, areaCode);
  }
  assert.match(problemOf("+11125550100"), /valid/);
  assert.match(problemOf("0125550100"), /valid/);
});

const refused: [what: string, raw: string, problem: RegExp][] = [
  ["nothing", "", /empty/],
  ["blanks", " \t\u200b ", /empty/],
  ["a lone plus", "+", /more digits/],
  ["letters", "not a number", /letters/],
  ["a vanity number", "1-800-FLOWERS", /letters/],
  ["an alphanumeric sender", "PARLEY", /letters/],
  ["sixteen digits", "+1234567890123456", /at most 15/],
  ["a page of digits", "1".repeat(10_000), /at most 15/],
  ["seven digits", "555-0123", /more digits/],
  ["too few digits after the plus", "+121255", /more digits/],
  ["ten digits under a country they do not fit", "+2125550123", /valid/],
  ["911", "911", /emergency or service/],
  ["988", "988", /emergency or service/],
  ["112", "112", /emergency or service/],
  ["411", "411", /emergency or service/],
  ["+1911", "+1911", /emergency or service/],
  ["an N11 exchange", "+12129115678", /service number/],
  ["premium 900", "+19005550199", /premium/],
  ["premium 900 with dashes", "1-900-555-1234", /premium/],
  ["a 976 exchange", "+12129765678", /premium/],
  ["a foreign premium number", "+449098790000", /premium/],
  ["an extension by x", "212-555-0123 x5", /extension/],
  ["an extension by ext.", "+1 212 555 0123 ext. 42", /extension/],
  ["an extension by comma", "2125550123,,5", /extension/],
  ["an extension by hash", "+12125550123#5", /extension/],
  ["an extension by parameter", "+12125550123;ext=5", /extension/],
  ["a SIP address", "sip:+12125550123@example.org", /address/],
  ["a SIPS address", "sips:alice@example.org", /address/],
  ["a tel address", "tel:+12125550123", /address/],
  ["an e-mail address", "12125550123@example.org", /address/],
  ["SQL", "+12125550123'; drop table contacts", /must/],
  ["SQL without letters", "2125550123' --", /only digits/],
  ["two pluses", "++12125550123", /only digits/],
  ["a plus inside", "1+2125550123", /only digits/],
  ["other digits", "२१२५५५०१२३", /only digits/],
  ["an object printed", "[object Object]", /letters/],
];
for (const [what, raw, problem] of refused) {
  test(`${what} is refused as a phone number`, () => assert.match(problemOf(raw), problem));
}

test("valid numbers of other countries are normalized and say whose they are", () => {
  assert.equal(phoneOf("+44 7911 123456"), "+447911123456");
  assert.equal(phoneOf("+1 876 555 1234"), "+18765551234");
  assert.deepEqual(
    ["+18765551234", "+18095551234", "+14155550100", "+14165550100", "+17875550100", "+18005550100", "+4930123456"].map(
      countryOfPhone,
    ),
    ["JM", "DO", "US", "CA", "US", "US", "DE"],
  );
  assert.equal(countryOfPhone("+14734051234"), "GD");
  assert.equal(countryOfPhone("+870773111632"), "ZZ");
});

test("a normalized number normalizes to itself", () => {
  for (const raw of ["(907) 581-0100", "+44 20 7946 0018", "+1 416 555 0199", "787.555.0100"]) {
    const once = phoneOf(raw);
    assert.equal(phoneOf(once), once);
  }
});

test("numbers are shown as people write them", () => {
  assert.equal(prettyPhone("+12125550123"), "(212) 555-0123");
  assert.equal(prettyPhone("+447911123456"), "+44 7911 123456");
});

test("the test range is 555-0100 to 555-0199 and nothing beside it", () => {
  assert.deepEqual(
    ["+12125550100", "+12125550199", "+12125550200", "+12125551234", "+12125540100", "+447911555010"].map(isTestRange),
    [true, true, false, false, false, false],
  );
});
