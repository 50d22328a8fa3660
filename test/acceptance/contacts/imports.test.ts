import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { contactsOf, countsOf, importFile, importIs, sendFile } from "#test/support/campaigns/import.ts";

const NOBODY = "00000000000000000000000000";
const TABLE = "Phone,First Name,city\n+12125550101,Ann,Reno\n(212) 555-0102,Bo,Elko\n";

test("importing contacts from a file", async (t) => {
  const api = await startParley(t, { PARLEY_MAX_UPLOAD_BYTES: "30000000" }, ["api"]);
  const owner = await anOwner(api);
  const errorsOf = async (fileImport: { import_id: string }): Promise<string[][]> => {
    const { status, headers, body } = await api.get(`/v1/contacts/imports/${fileImport.import_id}/errors.csv`);
    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, /^text\/csv/);
    return parse(body, { relax_column_count: true });
  };
  const refused = async (file: string | Uint8Array, fields: Record<string, string> = {}) => {
    const answer = await sendFile(api, file, { ...owner, ...fields });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body.error as string;
  };

  await t.test("a file becomes contacts and a list, by the names of its columns", async () => {
    const fileImport = await importFile(api, owner, TABLE, {}, "Spring leads.csv");
    assert.deepEqual(countsOf(fileImport), [2, 0, 0, 0]);
    assert.deepEqual(
      [fileImport.status, fileImport.progress, fileImport.rows, fileImport.error, fileImport.undo],
      ["completed", 1, 2, null, null],
    );
    assert.deepEqual(
      [fileImport.encoding, fileImport.delimiter, fileImport.file_name],
      ["utf-8", ",", "Spring leads.csv"],
    );
    const contacts = await contactsOf(api, fileImport);
    assert.deepEqual([...contacts.values()].map((lead) => [lead.phone_number, lead.first_name, lead.city]).sort(), [
      ["+12125550101", "Ann", "Reno"],
      ["+12125550102", "Bo", "Elko"],
    ]);
    const { body } = await api.get(`/v1/contacts/lists/${fileImport.list_id}`);
    assert.deepEqual([body.list.list_name, body.list.count], ["Spring leads", 2]);
    assert.deepEqual(await errorsOf(fileImport), [["row", "reason", "Phone", "First Name", "city"]]);
  });

  await t.test("a mapping says what each column is, and passes over the others", async () => {
    const mapping = JSON.stringify({ Handy: "phone_number", Vorname: "first_name" });
    const file = "Handy;Vorname;Geheim\n+12125550103;Cy;x\n";
    const fileImport = await importFile(api, owner, file, { mapping, list_name: "Mapped" });
    const [contact] = (await contactsOf(api, fileImport)).values();
    assert.deepEqual([contact!.first_name, contact!.Geheim, contact!.geheim], ["Cy", undefined, undefined]);
    assert.deepEqual([fileImport.delimiter, fileImport.columns[2]], [";", { column: "Geheim", field: null }]);
  });

  await t.test("a known number gets the given fields and keeps the others; one that comes twice is one", async () => {
    const mine = await anOwner(api);
    await importFile(api, mine, "phone,first_name,city\n+12125550104,Di,Reno\n");
    const fileImport = await importFile(
      api,
      mine,
      "phone,city,score\n2125550104,,7\n+12125550105,Elko,\n212-555-0104,Ely,\n",
    );
    assert.deepEqual(countsOf(fileImport), [1, 1, 1, 0]);
    const contact = (await contactsOf(api, fileImport)).get("+12125550104")!;
    assert.deepEqual([contact.first_name, contact.city, contact.score], ["Di", "Ely", "7"]);
  });

  await t.test("every encoding is detected, and can be given", async () => {
    const text = "phone,first_name\n+12125550106,Zoë €\n";
    const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
    const files: [Uint8Array, string][] = [
      [Buffer.from(`\ufeff${text}`), "utf-8"],
      [utf16, "utf-16le"],
      [utf16.subarray(2), "utf-16le"],
      [Buffer.from(utf16).swap16(), "utf-16be"],
      [
        Buffer.concat([Buffer.from("phone,first_name\n+12125550106,Zo\xeb ", "latin1"), Buffer.from([0x80, 0x0a])]),
        "latin1",
      ],
    ];
    for (const [file, encoding] of files) {
      const fileImport = await importFile(api, await anOwner(api), file);
      const [contact] = (await contactsOf(api, fileImport)).values();
      assert.deepEqual([fileImport.encoding, fileImport.status, contact?.first_name], [encoding, "completed", "Zoë €"]);
      assert.equal((await importFile(api, await anOwner(api), file, { encoding })).created, 1);
    }
    assert.match(await refused(files[4]![0], { encoding: "utf-8" }), /^encoding is utf-8, but the file is not/);
    assert.match(await refused(TABLE, { encoding: "ebcdic" }), /^encoding must be one of/);
  });

  await t.test("every line ending is one, quotes hold what they quote, and blank lines are nothing", async () => {
    const file = 'phone|notes\r\n\r\n+12125550107|"a|b\r\n""c"""\r+12125550108|d "e" f\n\n+12125550109|';
    const fileImport = await importFile(api, await anOwner(api), file);
    assert.deepEqual([countsOf(fileImport), fileImport.delimiter], [[3, 0, 0, 0], "|"]);
    const contacts = await contactsOf(api, fileImport);
    assert.equal(contacts.get("+12125550107")!.notes, 'a|b\r\n"c"');
    assert.equal(contacts.get("+12125550108")!.notes, 'd "e" f');
    assert.equal((await importFile(api, owner, "phone\tx\n+12125550107\t1,2\n", { delimiter: "tab" })).failed, 0);
  });

  await t.test("invalid rows are reported with their number in the file, and the others are imported", async () => {
    const rows = [
      "phone,birthday,notes",
      "+12125550110,1980-01-01,ok",
      "911,,=HYPERLINK(1)",
      "+12125550111,1980-02-30,bad",
      "+12125550112,1980-01-01",
      "+12125550113,,x,y",
      "+12125550114,,x,,",
      ",,@nobody",
      `+12125550115,,${"x".repeat(10_001)}`,
      "+12125550116,,a\0b",
    ];
    const fileImport = await importFile(api, owner, rows.join("\n"));
    assert.deepEqual([fileImport.status, ...countsOf(fileImport)], ["completed", 2, 0, 0, 7]);
    const [, ...errors] = await errorsOf(fileImport);
    assert.deepEqual(
      errors.map(([row, reason]) => [row, reason]),
      [
        ["3", "phone_number must not be an emergency or service number"],
        ["4", "birthday must be a date, YYYY-MM-DD"],
        ["5", "has 2 cells, the header has 3"],
        ["6", "has 4 cells, the header has 3"],
        ["8", "has no phone_number"],
        ["9", "notes must have at most 10000 characters"],
        ["10", "holds a character that cannot be stored"],
      ],
    );
    assert.deepEqual(errors[0]!.slice(2), ["911", "", "'=HYPERLINK(1)"]);
    assert.equal(errors[4]![4], "'@nobody");
    assert.deepEqual([...(await contactsOf(api, fileImport)).keys()].sort(), ["+12125550110", "+12125550114"]);

    const path = `/v1/contacts/imports/${fileImport.import_id}/errors`;
    const listed: { row: number; reason: string; cells: string[] }[] = [];
    for (let key: string | null = ""; key !== null; ) {
      const { status, body } = await api.get(`${path}?limit=3${key && `&pagination_key=${key}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      listed.push(...body.errors);
      key = body.next_pagination_key;
    }
    assert.deepEqual(
      listed.map(({ row, reason }) => [String(row), reason]),
      errors.map(([row, reason]) => [row, reason]),
    );
    assert.deepEqual(listed[0]!.cells, ["911", "", "=HYPERLINK(1)"]);
    assert.equal((await api.get(`${path}?pagination_key=AAAA`)).status, 400);
  });

  await t.test("a header or mapping that cannot be right is a 400 that says what is wrong", async () => {
    assert.equal(await refused(""), "file is empty");
    assert.equal(await refused("\n\r\n \n"), "file is empty");
    assert.match(await refused(",,\n+12125550101,a,b\n"), /^file has no header/);
    assert.equal(await refused("phone,City,City\n"), 'file has two columns called "City"');
    assert.match(await refused("first_name\nAnn\n"), /^mapping must say which column is the phone_number/);
    assert.match(await refused("+12125550101,Ann\n+12125550102,Bo\n"), /^mapping must say which column/);
    assert.match(await refused(TABLE, { mapping: "x" }), /^mapping must be JSON/);
    assert.match(await refused(TABLE, { mapping: "[]" }), /^mapping must be an object/);
    assert.match(await refused(TABLE, { mapping: '{"Phone": 5}' }), /^mapping.Phone must be the name of a field/);
    assert.match(
      await refused(TABLE, { mapping: '{"Fone": "phone_number"}' }),
      /^mapping.Fone is no column of the file; it has Phone, First Name, city/,
    );
    assert.match(await refused(TABLE, { mapping: '{"Phone": "phone_number", "city": "phone_number"}' }), /two columns/);
    assert.match(await refused(TABLE, { mapping: '{"__proto__": "phone_number"}' }), /^mapping must be JSON/);
    assert.match(
      await refused(TABLE, { mapping: `{"Phone": "phone_number", "city": "${"x".repeat(101)}"}` }),
      /name of 1 to 100/,
    );
    const many = (n: number) => `phone,${Array.from({ length: n - 1 }, (_, i) => `c${i}`).join(",")}\n`;
    assert.match(await refused(many(1_001)), /^file has 1001 columns; 1000 is the most/);
    assert.match(await refused(many(1_000)), /^mapping fills 1000 fields; 200 is the most/);
    assert.match(await refused(`${"x".repeat(201)},phone\n`), /^file has a column whose name is over 200/);
    assert.match(await refused('phone,"city\n+12125550101,x\n'), /^file cannot be read: row 1 opens a quote/);
    assert.match(await refused(TABLE, { delimiter: "x" }), /^delimiter must be one of/);
  });

  await t.test("a thousand columns of which a few are mapped are read", async () => {
    const header = ["phone", ...Array.from({ length: 999 }, (_, i) => `c${i}`)].join(",");
    const row = ["+12125550117", ...Array.from({ length: 999 }, (_, i) => `v${i}`)].join(",");
    const fileImport = await importFile(api, owner, `${header}\n${row}\n`, {
      mapping: '{"phone":"phone_number","c998":"last"}',
    });
    assert.equal((await contactsOf(api, fileImport)).get("+12125550117")!.last, "v998");
  });

  await t.test("a quote that nobody closes and a row of 10 MB end the import, after the rows before them", async () => {
    const good = "phone,notes\n+12125550118,a\n";
    const open = await importFile(api, owner, `${good}+12125550119,"b\n+12125550120,c\n`);
    assert.deepEqual([open.status, open.error, open.rows], ["failed", "row 3 opens a quote that is never closed", 1]);
    const long = await importFile(api, owner, `${good}+12125550119,"${"x".repeat(10_000_000)}"\n+12125550120,c\n`);
    assert.deepEqual([long.status, long.rows], ["failed", 1]);
    assert.match(long.error, /^row 3 is larger than 1 MB/);
  });

  await t.test("missing fields, unknown ids and another tenant's ids get the usual errors", async () => {
    const nothing = await sendFile(api, TABLE, {});
    assert.deepEqual([nothing.status, wrongFields(nothing).sort()], [400, ["organization_id", "user_id"]]);
    const nobody = { organization_id: `org_${NOBODY}`, user_id: owner.user_id };
    assert.deepEqual((await sendFile(api, TABLE, nobody)).body.error, "Organization not found");
    assert.equal((await sendFile(api, TABLE, { ...owner, user_id: "x" })).body.error, "User not found");
    assert.equal((await sendFile(api, TABLE, { ...owner, tenant_id: `tnt_${NOBODY}` })).status, 403);
    const json = await api.post("/v1/contacts/imports", { ...owner });
    assert.deepEqual([json.status, json.body.error], [415, "Content-Type must be multipart/form-data"]);
    const form = new FormData();
    for (const [name, value] of Object.entries(owner)) form.append(name, value);
    const post = (path: string, body: FormData) =>
      fetch(api.url + path, { method: "POST", headers: { "x-api-key": api.key }, body });
    const without = await post("/v1/contacts/imports", form);
    assert.match(((await without.json()) as { error: string }).error, /^file is required/);
    assert.equal((await post("/v1/contacts/lists", form)).status, 415);
    form.append("file", "not a file");
    assert.equal((await post("/v1/contacts/imports", form)).status, 400);
    for (const path of ["", "/errors", "/errors.csv", "/undo"]) {
      const answer = await api.request(path === "/undo" ? "POST" : "GET", `/v1/contacts/imports/imp_${NOBODY}${path}`);
      assert.deepEqual([answer.status, answer.body.error], [404, "Import not found"]);
    }
    const fileImport = await importFile(api, owner, TABLE);
    const stranger = await anotherTenant(api);
    assert.equal((await stranger.get(`/v1/contacts/imports/${fileImport.import_id}`)).status, 404);
    assert.equal((await stranger.get(`/v1/contacts/imports/${fileImport.import_id}/errors.csv`)).status, 404);
    assert.equal((await stranger.post(`/v1/contacts/imports/${fileImport.import_id}/undo`)).status, 404);
    assert.equal(
      (await stranger.get(`/v1/contacts/leads/export.csv?organization_id=${owner.organization_id}`)).status,
      404,
    );
  });

  await t.test("a file over the limit is a 413, one that is cut off leaves nothing behind", async () => {
    const uploads = join(api.config.dataDir, "uploads");
    const large = await sendFile(api, Buffer.alloc(30_000_001, "x"), { ...owner });
    assert.deepEqual([large.status, large.body.code], [413, "payload_too_large"]);
    const headers = { "x-api-key": api.key, "content-type": "multipart/form-data; boundary=x" };
    const sender = request(`${api.url}/v1/contacts/imports`, { method: "POST", headers });
    sender.on("error", () => {});
    sender.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nphone\n');
    await until("the file is there", async () => readdirSync(uploads).length > 0);
    sender.destroy();
    await until("nothing is left", async () => readdirSync(uploads).length === 0);
  });

  await t.test("an import under an Idempotency-Key is made once, and another file under it is a 422", async () => {
    const mine = { ...(await anOwner(api)) };
    const more = { headers: { "idempotency-key": "import-1" } };
    const first = await sendFile(api, TABLE, mine, more);
    const again = await sendFile(api, TABLE, mine, more);
    assert.deepEqual([again.status, again.body], [202, first.body]);
    assert.equal((await sendFile(api, `${TABLE}+12125550121,,\n`, mine, more)).status, 422);
    const { body } = await api.get(`/v1/contacts/imports?organization_id=${mine.organization_id}`);
    assert.equal(body.imports.length, 1);
    await importIs(api, first.body.import.import_id, ["completed"]);
    await until("no file is left", async () => readdirSync(join(api.config.dataDir, "uploads")).length === 0);
  });

  await t.test("imports are listed by organization, newest first, in pages", async () => {
    const mine = await anOwner(api);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await importFile(api, mine, TABLE)).import_id);
    const path = `/v1/contacts/imports?organization_id=${mine.organization_id}&limit=2`;
    const first = (await api.get(path)).body;
    const second = (await api.get(`${path}&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual(
      [...first.imports, ...second.imports].map((fileImport: { import_id: string }) => fileImport.import_id),
      ids,
    );
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
    assert.equal((await api.get("/v1/contacts/imports")).status, 400);
  });

  await t.test("a file of 20,000 rows is stored whole, in the file's order", async () => {
    const mine = await anOwner(api);
    const rows = Array.from({ length: 20_000 }, (_, i) => `+1303${2_000_000 + ((i * 7919) % 20_000)},N${i}`);
    const fileImport = await importFile(api, mine, `phone,first_name\n${rows.join("\n")}`);
    assert.deepEqual([fileImport.status, ...countsOf(fileImport)], ["completed", 20_000, 0, 0, 0]);
    const { body } = await api.get(`/v1/contacts/leads?organization_id=${mine.organization_id}&limit=500`);
    const names = body.leads.map((lead: { first_name: string }) => lead.first_name);
    assert.deepEqual(
      names.toSorted(),
      Array.from({ length: 500 }, (_, i) => `N${19_500 + i}`),
    );
  });
});
