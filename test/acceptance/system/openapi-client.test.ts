import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startParley } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";

const MODULES = resolve("node_modules");

test("a client that a generator makes of the OpenAPI document", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const folder = aFolder("client");
  symlinkSync(MODULES, join(folder, "node_modules"));
  const { body: document } = await api.get("/openapi.json", { key: null });
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder })).stdout;

  // The generator validates the document first, by the schema of OpenAPI 3.1 and reference by reference.
  await run(join(MODULES, "oazapfts/dist/cli.js"), "openapi.json", "client.ts");
  writeFileSync(join(folder, "use.ts"), USE);

  await t.test("compiles, strictly", async () => {
    const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom"];
    const modules = ["--module", "nodenext", "--allowImportingTsExtensions", "--types", "node"];
    await run(join(MODULES, "typescript/bin/tsc"), ...options, ...modules, "client.ts", "use.ts");
  });

  await t.test("creates once by its Idempotency-Key, lists, and knows an error by its status and code", async () => {
    const said = JSON.parse(await run(join(folder, "use.ts"), api.url, api.key));
    assert.deepEqual(said, { isOne: true, names: ["Acme Homes"], code: "not_found" });
  });
});

/** As an integrator would write it: each status has a type of its own, and the compiler knows every field. */
const USE = `
import * as parley from "./client.ts";

const [url, key] = process.argv.slice(2) as [string, string];
parley.defaults.baseUrl = url;
parley.defaults.headers = { "X-API-Key": key };

const made: string[] = [];
for (let i = 0; i < 2; i++) {
  const answer = await parley.createOrganization({ name: "Acme Homes" }, { idempotencyKey: "once" });
  if (answer.status !== 201) throw new Error(String(answer.status));
  made.push(answer.data.unique_id);
}
const listed = await parley.listOrganizations({ limit: 5 });
const names = listed.status === 200 ? listed.data.organizations.map(({ organization_name }) => organization_name) : [];
const missing = await parley.getOrganization("org_00000000000000000000000001");
const code = missing.status === 404 ? missing.data.code : undefined;
console.log(JSON.stringify({ isOne: made[0] === made[1], names, code }));
`;
