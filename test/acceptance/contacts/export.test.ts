import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { anOwner } from "#test/support/accounts/owner.ts";
import { type Answer, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { contactsOf, countsOf, importFile } from "#test/support/campaigns/import.ts";
import { campaignIs, quiet } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const NOBODY = "00000000000000000000000000";
const rowsOf = (answer: Answer): Record<string, string>[] => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.match(answer.headers.get("content-type")!, /^text\/csv/);
  assert.match(answer.headers.get("content-disposition")!, /^attachment; filename="\w+\.csv"$/);
  return parse(answer.body, { columns: true });
};

test("contacts as a file", async (t) => {
  const api = await startParley(t);
  const pathOf = (owner: { organization_id: string }) =>
    `/v1/contacts/leads/export.csv?organization_id=${owner.organization_id}`;

  await t.test("every contact is in it, with the fields of all, and nothing that a spreadsheet would run", async () => {
    const owner = await anOwner(api);
    const contacts = [
      { phone_number: "+12125550101", first_name: "=1+1", notes: 'a "b",\nc', score: 5 },
      { phone_number: "+12125550102", first_name: "@SUM(A1)", "=evil": "-2", vip: true },
      { phone_number: "+12125550103", first_name: "+cmd|'x'!A1", notes: "\tx" },
    ];
    await api.post("/v1/contacts/lists", { list_name: "L", ...owner, contacts });
    const rows = rowsOf(await api.get(pathOf(owner)));
    assert.deepEqual(
      rows.map((row) => row.phone_number),
      ["+12125550101", "+12125550102", "+12125550103"],
    );
    assert.deepEqual(
      rows.map((row) => [row.first_name, row.notes, row["'=evil"], row.score, row.vip]),
      [
        ["'=1+1", 'a "b",\nc', "", "5", ""],
        ["'@SUM(A1)", "", "'-2", "", "true"],
        ["'+cmd|'x'!A1", "'\tx", "", "", ""],
      ],
    );
    assert.match(rows[0]!.unique_id!, /^lead_/);
    for (const cell of rows.flatMap((row) => Object.entries(row).flat())) {
      assert.doesNotMatch(cell, /^[=\-@\t\r]|^\+(?!\d+$)/);
    }
  });

  await t.test("what was written can be read in again, and is the same", async () => {
    const owner = await anOwner(api);
    const contact = { phone_number: "+12125550104", first_name: "=x", notes: "'quoted'", city: "Reno" };
    await api.post("/v1/contacts/lists", { list_name: "L", ...owner, contacts: [contact] });
    const file = (await api.get(pathOf(owner))).body;
    const other = await anOwner(api);
    const fileImport = await importFile(api, other, file);
    assert.deepEqual([countsOf(fileImport), fileImport.error], [[1, 0, 0, 0], null]);
    const [read] = (await contactsOf(api, fileImport)).values();
    assert.deepEqual([read!.first_name, read!.notes, read!.city], ["=x", "'quoted'", "Reno"]);
  });

  await t.test("an organization without contacts is a header, one that is not there a 404", async () => {
    assert.deepEqual(rowsOf(await api.get(pathOf(await anOwner(api)))), []);
    const { status, body } = await api.get(pathOf({ organization_id: `org_${NOBODY}` }));
    assert.deepEqual([status, body.error], [404, "Organization not found"]);
    assert.equal((await api.get("/v1/contacts/leads/export.csv")).status, 400);
  });

  await t.test("a campaign's leads come with what has become of them", async () => {
    await aNoon(api);
    const made = await aCampaign(api, {
      contacts: [
        { phone_number: "+12125550120", first_name: "Gone" },
        { phone_number: "+12125550160", first_name: "There", state: "NY" },
      ],
    });
    await campaignIs(api, made.campaignId, "completed");
    await quiet(api);
    const rows = rowsOf(await api.get(`/v1/campaigns/${made.campaignId}/leads/export.csv`));
    assert.deepEqual(rows.map((row) => [row.phone_number, row.state, row.first_name, row["contact.state"]]).sort(), [
      ["+12125550120", "failed", "Gone", ""],
      ["+12125550160", "delivered", "There", "NY"],
    ]);
    assert.ok(rows.every((row) => row.first_sent_at || row.state === "failed"));
    assert.equal((await api.get("/v1/campaigns/nobody/leads/export.csv")).status, 404);
  });

  await t.test("a reader who stops reading holds no transaction, and gets the rest when he goes on", async () => {
    const owner = await anOwner(api);
    const notes = "x".repeat(2_000);
    const rows = Array.from({ length: 12_000 }, (_, i) => `+1303${2_000_000 + i},${notes}`);
    await importFile(api, owner, `phone,notes\n${rows.join("\n")}`);
    const client = await openClient(t, api.databaseUrl);
    const answer = await new Promise<import("node:http").IncomingMessage>((resolve) => {
      request(api.url + pathOf(owner), { headers: { "x-api-key": api.key } }, resolve).end();
    });
    answer.pause();
    await until("the api has filled what the line takes, and waits", async () => {
      const { rows: busy } = await client.query(
        "select from pg_stat_activity where datname = current_database() and application_name ~ '^parley api [0-9a-f]{8}-' and state <> 'idle'",
      );
      return busy.length === 0;
    });
    let bytes = 0;
    let text = "";
    for await (const piece of answer) {
      bytes += piece.length;
      text = (text + piece).slice(-100);
    }
    assert.ok(bytes > 24_000_000);
    assert.match(text, /\n$/);
  });
});
