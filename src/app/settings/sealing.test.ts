import assert from "node:assert/strict";
import { createCipheriv, createHmac, randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { sealingKeys, sealingKeysFile } from "./sealing.ts";

const ROOT = "a root of all keys, thirty-two letters";
const PLACE = {
  ...{ table: "carrier_accounts", tenantId: "00000000-0000-7000-8000-000000000001" },
  ...{ row: "carrier_1", column: "credentials.auth_token" },
};

function settings(sealingKeys?: readonly string[]) {
  const dataDir = aFolder("sealing");
  return { dataDir, secretKey: ROOT, sealingKeys };
}

test("what is sealed opens at its own place alone, unchanged, and under its own key", () => {
  const ours = sealingKeys(settings());
  const sealed = ours.seal(ours.first, "a töken", PLACE);

  assert.equal(ours.open(sealed, PLACE), "a töken");
  assert.match(sealed, /^[0-9a-f]{8}\./);
  assert.notEqual(ours.seal(ours.first, "a töken", PLACE), sealed, "a nonce is used once");
  for (const elsewhere of [
    { ...PLACE, table: "former_accounts" },
    { ...PLACE, tenantId: PLACE.tenantId.replace(/1$/, "2") },
    { ...PLACE, row: "carrier_2" },
    { ...PLACE, column: "credentials.account_sid" },
  ]) {
    assert.throws(() => ours.open(sealed, elsewhere));
  }
  const [id, text] = sealed.split(".") as [string, string];
  const changed = Buffer.from(text, "base64url");
  changed[14]! ^= 1;
  assert.throws(() => ours.open(`${id}.${changed.toString("base64url")}`, PLACE));
  assert.throws(() => ours.open(`${id}.${text.slice(0, 8)}`, PLACE));
  const theirs = sealingKeys({ ...settings(), secretKey: "another root of all keys, also 32" });
  assert.throws(() => theirs.open(sealed, PLACE), /sealed under the key/);
});

test("a key that another process adds to the data directory's file is found when it is needed, and the newest is last", () => {
  const config = settings();
  const ours = sealingKeys(config);
  appendFileSync(sealingKeysFile(config), `${"k".repeat(43)}\n${"l".repeat(43)}\n`);
  const theirs = sealingKeys(config);
  const sealed = theirs.seal(theirs.ids().at(-1)!, "token", PLACE);

  assert.equal(ours.open(sealed, PLACE), "token");
  assert.equal(ours.ids().length, 3);
  assert.ok(sealed.startsWith(`${ours.ids()[2]}.`));
  assert.deepEqual(sealingKeys({ ...settings(), sealingKeys: ["k".repeat(43), "l".repeat(43)] }).ids(), ours.ids());
});

test("credentials that the first releases have sealed, without their table, still open", () => {
  const bytes = createHmac("sha256", ROOT).update("seal carrier-credentials").digest();
  const id = createHmac("sha256", bytes).update("key id").digest("hex").slice(0, 8);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(
    Buffer.from(`${PLACE.tenantId}|carrier_1|auth_token`),
  );
  const sealed = Buffer.concat([nonce, cipher.update("token", "utf8"), cipher.final(), cipher.getAuthTag()]);

  assert.equal(sealingKeys(settings()).open(`${id}.${sealed.toString("base64url")}`, PLACE), "token");
});
