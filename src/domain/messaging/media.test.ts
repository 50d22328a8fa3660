import assert from "node:assert/strict";
import { test } from "node:test";
import { isMediaNote, isShown, keptType, mediaNote, mediaUrlsProblem, withMediaNote } from "./media.ts";

test("what phones send is kept; pages, drawings with scripts and programs are not", () => {
  assert.equal(keptType("image/jpg"), "image/jpeg");
  assert.equal(keptType("Text/VCARD; charset=utf-8"), "text/vcard");
  for (const type of ["text/html", "image/svg+xml", "application/javascript", "constructor", "", null, undefined])
    assert.equal(keptType(type), undefined, String(type));
});

test("only pictures that browsers draw are shown in a page", () => {
  assert.deepEqual(["image/png", "application/pdf", "text/plain", null].map(isShown), [true, false, false, false]);
});

test("what came with a text is said in plain words", () => {
  assert.equal(mediaNote(["image/jpeg"]), "(Sent a picture)");
  assert.equal(mediaNote(["image/jpeg", "image/png", null]), "(Sent 2 pictures and a file)");
  assert.equal(
    mediaNote(["video/x-odd", "audio/amr", "text/x-vcard"]),
    "(Sent a video, a voice message and a contact card)",
  );
  assert.equal(withMediaNote(" ", ["image/gif"]), "(Sent a picture)");
  assert.equal(withMediaNote("Like this?", ["image/gif"]), "Like this? (Sent a picture)");
  assert.equal(withMediaNote("Yes", []), "Yes");
  assert.deepEqual([isMediaNote("(Sent a picture)"), isMediaNote("Yes")], [true, false]);
});

test("an address to be sent is one of the internet, by https, and no more than ten", () => {
  const fine = (n: number) => Array.from({ length: n }, (_, i) => `https://cdn.example.com/${i}.jpg`);
  assert.equal(mediaUrlsProblem(fine(10)), undefined);
  assert.match(mediaUrlsProblem(fine(11))!, /10 at most/);
  assert.match(mediaUrlsProblem(["https://a.example/1.jpg", "https://a.example/1.jpg"])!, /twice/);
  for (const url of ["http://a.example/1.jpg", "ftp://a.example/1", "https://", "picture", "javascript:alert(1)"])
    assert.match(mediaUrlsProblem([url])!, /https/, url);
  for (const url of ["https://localhost/1", "https://127.0.0.1/1", "https://2130706433/1", "https://x.localhost/1"])
    assert.match(mediaUrlsProblem([url])!, /internet/, url);
  assert.match(mediaUrlsProblem(["https://a.example/a b"])!, /begin with https/);
  assert.match(mediaUrlsProblem(["https://me:secret@a.example/1"])!, /password/);
  assert.match(mediaUrlsProblem([`https://a.example/${"x".repeat(2_000)}`])!, /2000 characters/);
});
