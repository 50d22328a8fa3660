import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaName, pictureName } from "#domain/messaging/media.ts";
import { ownerOfObject } from "./object-name.ts";

const TENANT = "018f0000-0000-7000-8000-00000000000a";
const ID = "018f0000-0000-7000-8000-00000000000b";

test("an object's name says whose it is and what it is of", () => {
  assert.deepEqual(ownerOfObject(`${TENANT}/${ID}.wav`), { tenantId: TENANT, kind: "recording", id: ID });
  assert.deepEqual(ownerOfObject(mediaName(TENANT, ID)), { tenantId: TENANT, kind: "media", id: ID });
  assert.deepEqual(ownerOfObject(pictureName(TENANT, ID)), { tenantId: TENANT, kind: "picture", id: ID });
});

test("a name that nothing of ours makes is nobody's", () => {
  for (const name of [
    `${TENANT}/${ID}`,
    `${TENANT}/other/${ID}`,
    `${ID}.wav`,
    `${TENANT}/media/${ID}.wav`,
    "probes/1",
  ]) {
    assert.equal(ownerOfObject(name), undefined, name);
  }
});
