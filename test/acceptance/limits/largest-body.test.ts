import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner } from "#test/support/accounts/owner.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";

const MB = 1024 * 1024;

test("a body of 64 MB with 100,000 leads of 20 fields each is taken", async (t) => {
  const api = await startApiProcess(t);
  const owner = await anOwner(api);
  const fields = Array.from({ length: 19 }, (_, i) => `f${i}`);
  // Texts that come once, as those of real leads do.
  const contacts = Array.from({ length: 100_000 }, (_, n) => ({
    phone_number: `+1212${4_000_000 + n}`,
    ...Object.fromEntries(fields.map((name, i) => [name, `Field ${i} of the lead ${n.toString(36)}`])),
  }));
  const text = JSON.stringify({ ...owner, list_name: "Large", contacts });
  const body = new Uint8Array(Buffer.from(`${text.slice(0, -1)}${" ".repeat(64 * MB - text.length)}}`));
  assert.equal(body.length, 64 * MB);

  const response = await fetch(`${api.url}/v1/contacts/lists`, {
    method: "POST",
    headers: { "x-api-key": api.key, "content-type": "application/json" },
    body,
  });
  const said = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 201, said.toString("utf8", 0, 500));
  assert.equal((JSON.parse(said.toString()) as { count: number }).count, 100_000);
  assert.deepEqual([api.child.exitCode, api.child.signalCode, api.complaints], [null, null, []]);
});
