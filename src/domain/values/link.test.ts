import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { allowedLinkProblem, findLinks, isAllowedLink } from "./link.ts";

const kinds = (text: string) => findLinks(text).map((link) => `${link.kind} ${link.text}`);

test("links are found with and without scheme, spelt out and in disguise", () => {
  for (const [text, link] of [
    ["see https://evil.example/x?y=1.", "https://evil.example/x?y=1"],
    ["see HTTP://EVIL.EXAMPLE", "HTTP://EVIL.EXAMPLE"],
    ["go to evil.com now", "evil.com"],
    ["Evil.Com", "Evil.Com"],
    ["(evil.co.uk/path)", "evil.co.uk/path"],
    ["www.evil.zzz", "www.evil.zzz"],
    ["bit.ly/3xY", "bit.ly/3xY"],
    ["t.me/abc", "t.me/abc"],
    ["аcme.com", "аcme.com"],
    ["xn--cme-7cd.com", "xn--cme-7cd.com"],
    ["evil。com", "evil.com"],
    ["ｅｖｉｌ．ｃｏｍ", "evil.com"],
    ["evil[.]com", "evil[.]com"],
    ["evil dot com", "evil dot com"],
    ["hxxps://evil", "hxxps://evil"],
    ["10.0.0.1/login", "10.0.0.1/login"],
    ["javascript:alert(1)", "javascript:alert(1"],
    ["tel:+19005551234", "tel:+19005551234"],
    ["acme.com@evil.com/x", undefined],
    ["acme.com.evil.com", "acme.com.evil.com"],
  ] as const) {
    const found = findLinks(text);
    assert.ok(found.length > 0, text);
    if (link !== undefined) assert.equal(found[0]?.text, link, text);
  }
});

test("ordinary texts hold no link", () => {
  for (const text of [
    "Thanks.It works for me",
    "At 3 p.m. or 10 a.m.?",
    "e.g. next week",
    "That is $1,250.50, or 3.5% less",
    "We met on 2026-11-20 14:30, or 11/20/2026?",
    "ok...great",
    "a dot on the map",
    "Between 9:00 and 17:00",
    "Hello. How are you?",
    "250000 to 300000",
  ]) {
    assert.deepEqual(kinds(text), [], text);
  }
});

test("e-mail addresses and telephone numbers are distinguished from links", () => {
  assert.deepEqual(kinds("write ana@acme.com or call +1 (900) 555-1234."), [
    "email ana@acme.com",
    "phone +1 (900) 555-1234",
  ]);
  assert.deepEqual(kinds("303.555.0142"), ["phone 303.555.0142"]);
});

test("a listed host or address allows what is under it and nothing beside it", () => {
  const list = ["acme.com", "https://book.example/acme"];
  for (const link of [
    "acme.com",
    "https://acme.com/a?b=c#d",
    "WWW.ACME.COM/x",
    "https://book.example/acme",
    "https://book.example/acme/monday",
    "book.example/acme?day=1",
  ]) {
    assert.equal(isAllowedLink(link, list), true, link);
  }
  for (const link of [
    "http://acme.com",
    "https://acme.com:8443",
    "acme.com.evil.com",
    "evil.com/acme.com",
    "https://acme.com@evil.com",
    "https://evil.com\\@acme.com",
    "sub.acme.com",
    "аcme.com",
    "https://book.example/acmeevil",
    "https://book.example/acme/../evil",
    "https://book.example/acme/%2e%2e/evil",
    "ftp://acme.com",
    "javascript:acme.com",
    "acme",
  ]) {
    assert.equal(isAllowedLink(link, list), false, link);
  }
  assert.equal(isAllowedLink("http://plain.example/x", ["http://plain.example"]), true);
});

test("an entry that could never match is refused", () => {
  for (const entry of ["", "acme", "ftp://acme.com", "https://user@acme.com", "a b.com", "https://"]) {
    assert.notEqual(allowedLinkProblem(entry), undefined, entry);
  }
  for (const entry of ["acme.com", "https://acme.com/book", "http://127.0.0.1:8080"]) {
    assert.equal(allowedLinkProblem(entry), undefined, entry);
  }
});

test("a text made to slow the patterns down is read at once", () => {
  const texts = ["a.", "1 ", "a@", "a-"].map((piece) => piece.repeat(1_000));
  const ms = processorMs(() => [...texts, "dot ".repeat(500)].forEach((text) => void findLinks(text)));
  // One that backtracks takes seconds even for so little.
  assert.ok(ms < 2_000, `${ms} ms`);
});
