import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureType } from "./picture-type.ts";

test("a picture is known by its first bytes", () => {
  const of = (text: string) => pictureType(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  assert.equal(of("\xff\xd8\xff\xe0\x00\x10JFIF"), "image/jpeg");
  assert.equal(of("\x89PNG\r\n\x1a\n\x00\x00"), "image/png");
  assert.equal(of("GIF89a\x01"), "image/gif");
  for (const other of ["", "GIF", "<svg xmlns", "<html>", "%PDF-1.7", "\x89PNG\n\n\x1a\n", "RIFF\x00\x00\x00\x00WEBP"])
    assert.equal(of(other), undefined, other);
});
