import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { nonconformance, readOperations } from "#test/support/api/openapi.ts";
import { type Answer, startParley, until } from "#test/support/api/parley.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const FILE = "phone_number\n+12125550101\n";
/** In the data directory: files that come in. */
const UPLOADS = "uploads";
const BOUNDARY = "parley-form";

type Part = { name: string; value: string; file?: string };

/** A form as bytes, so that it can be one that no library would write. */
function formOf(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): string {
  const written = parts.map(({ name, value, file }) => {
    const named = file === undefined ? "" : `; filename="${file}"`;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n${value}\r\n`;
  });
  return written.join("") + end;
}

test("malformed forms", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const uploads = join(api.config.dataDir, UPLOADS);
  const owner = await anOwner(api);
  const forms = (await readOperations(api)).filter((operation) => !operation.takesJson);
  assert.deepEqual(
    forms.map(({ id }) => id).sort(),
    ["startImport", "uploadPicture"],
    "what takes a form is tried here, and in uploaded-pictures.test.ts",
  );
  const form = forms.find(({ id }) => id === "startImport")!;
  const fields: Part[] = Object.entries(owner).map(([name, value]) => ({ name, value }));
  const file: Part = { name: "file", value: FILE, file: "people.csv" };
  const send = (body: string, type = `multipart/form-data; boundary=${BOUNDARY}`): Promise<Answer> =>
    api.request(form.method, form.path, body, { headers: { "content-type": type } });
  const without = (name: string): Part[] => fields.filter((part) => part.name !== name);

  const cases: [what: string, status: number, field: string | undefined, ask: () => Promise<Answer>][] = [
    ["no part", 400, "organization_id", () => send(formOf([]))],
    ["no file", 400, "file", () => send(formOf(fields))],
    [
      "an empty file's field that is a text",
      400,
      "file",
      () => send(formOf([...fields, { name: "file", value: FILE }])),
    ],
    ["two files", 400, "file", () => send(formOf([...fields, file, file]))],
    ["a file by another name", 400, "photo", () => send(formOf([...fields, { ...file, name: "photo" }]))],
    [
      "a file named as a field",
      400,
      "user_id",
      () => send(formOf([...without("user_id"), { ...file, name: "user_id" }, file])),
    ],
    ["a field twice", 400, "user_id", () => send(formOf([...fields, fields.at(-1)!, file]))],
    ["no organization", 400, "organization_id", () => send(formOf([...without("organization_id"), file]))],
    [
      "an empty organization",
      400,
      "organization_id",
      () => send(formOf([...without("organization_id"), { name: "organization_id", value: "" }, file])),
    ],
    [
      "a NUL in a field",
      400,
      "mapping",
      () => send(formOf([...fields, { name: "mapping", value: '{"a":"\0"}' }, file])),
    ],
    [
      "a mapping that is no JSON",
      400,
      "mapping",
      () => send(formOf([...fields, { name: "mapping", value: "{" }, file])),
    ],
    [
      "a field of 300 kB",
      400,
      "mapping",
      () => send(formOf([...fields, { name: "mapping", value: "x".repeat(300_000) }, file])),
    ],
    [
      "a field called __proto__",
      400,
      undefined,
      () => send(formOf([...fields, { name: "__proto__", value: "1" }, file])),
    ],
    [
      "25 fields",
      413,
      undefined,
      () => send(formOf([...Array.from({ length: 25 }, (_, i) => ({ name: `f${i}`, value: "" })), ...fields, file])),
    ],
    ["a misspelt field", 400, "list_nmae", () => send(formOf([...fields, { name: "list_nmae", value: "A" }, file]))],
    ["no end", 400, undefined, () => send(formOf([...fields, file], ""))],
    ["another boundary", 400, undefined, () => send(formOf([...fields, file]), "multipart/form-data; boundary=other")],
    ["no boundary", 400, undefined, () => send(formOf([...fields, file]), "multipart/form-data")],
    ["JSON", 415, undefined, () => send(JSON.stringify(owner), "application/json")],
    ["a form of an address", 415, undefined, () => send("organization_id=x", "application/x-www-form-urlencoded")],
    [
      "another tenant's name",
      403,
      undefined,
      () => send(formOf([...fields, { name: "tenant_id", value: "tnt_00000000000000000000000001" }, file])),
    ],
  ];
  for (const [what, status, field, ask] of cases) {
    await t.test(`${what} is a ${status}, and nothing is kept of it`, async () => {
      const before = await digestOfRows(client);
      const answer = await ask();
      const said = `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
      assert.equal(answer.status, status, said);
      if (field) assert.ok(wrongFields(answer).includes(field), said);
      assert.equal(nonconformance(form, answer), undefined);
      assert.deepEqual(await digestOfRows(client), before);
      // The answer does not wait for the disk.
      await until("no file is left behind", async () => !existsSync(uploads) || readdirSync(uploads).length === 0);
    });
  }

  await t.test(
    "one that is right is taken, whatever the file calls itself, and an unknown field is passed over",
    async () => {
      const long = await send(formOf([...fields, { name: "x".repeat(10_000), value: "1" }, file]));
      assert.deepEqual([long.status, long.body.warnings.length], [202, 1]);
      for (const name of ["../../etc/passwd", "a\u202egpj.csv", "=cmd()", "x".repeat(5_000), ""]) {
        const { status, body } = await send(formOf([...fields, { ...file, file: name }]));
        assert.equal(status, 202, `${name.slice(0, 20)} ${JSON.stringify(body)}`);
        assert.ok(!body.import.file_name?.includes("/") && (body.import.file_name?.length ?? 0) <= 200);
      }
    },
  );
});
