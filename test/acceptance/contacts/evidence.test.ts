import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { parseId } from "#domain/values/id.ts";
import { verifyEvidence } from "#operations/contacts/verify-evidence.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { insertCalls } from "#test/support/calls/calls.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, says, textsTo } from "#test/support/messaging/handset.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

const PHONE = "+12125550101";
const SOUND = "RIFF of a call";

type Files = Record<string, Uint8Array>;

async function archiveOf(api: Pick<Parley, "url" | "key">, leadId: string, query = ""): Promise<Uint8Array> {
  const response = await fetch(`${api.url}/v1/contacts/${leadId}/evidence${query}`, {
    headers: { "x-api-key": api.key },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/zip");
  assert.match(response.headers.get("content-disposition")!, /^attachment; filename="evidence-lead_\w+\.zip"$/);
  return new Uint8Array(await response.arrayBuffer());
}

const inPieces = (bytes: Uint8Array) => ({
  size: bytes.length,
  async *read(start: number, end: number) {
    for (let at = start; at < end; at += 1_000) yield bytes.subarray(at, Math.min(end, at + 1_000));
  },
});

const check = (files: Files, key?: string) => verifyEvidence(inPieces(zipSync(files)), key);
const faultOf = async (files: Files, key?: string) => {
  const { fault } = await check(files, key);
  return fault && `${fault.file}: ${fault.what}`;
};

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON; tests assert what they should be.
const linesOf = (files: Files, name: string): any[] =>
  strFromU8(files[name]!)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A contact with consents, texts, a STOP, a text that was refused after it, and a call. */
async function aStory(t: TestContext) {
  const api = await startParley(t);
  await aNoon(api);
  const sql = await openClient(t, api.databaseUrl);
  const made = await aCampaign(api, {
    contacts: [
      {
        phone_number: PHONE,
        first_name: "Ann <b>",
        consent_basis: "express_written",
        consent_source: "web_form",
        consent_proof: "form 7 of 2026",
      },
    ],
  });
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  await gets(api, PHONE, 1);
  const consent = { basis: "express", channel: "voice", source: "phone call", proof: "call 12 of the 3rd" };
  assert.equal((await api.put(`/v1/consents/${encodeURIComponent(PHONE)}`, consent)).status, 200);
  await says(api, PHONE, "STOP please");
  await until("the opt-out is there", async () => {
    const { body } = await api.get(`/v1/consents/${encodeURIComponent(PHONE)}`);
    return body.consent.opted_out_at !== null;
  });
  const second = {
    campaign_name: "Second",
    ...owner,
    sms_agent_id: made.agentId,
    svc_sms_number: SENDER,
    contacts: [{ phone_number: PHONE }],
  };
  assert.equal((await api.post("/v1/campaigns", second)).status, 202);
  const leads = await api.get(
    `/v1/contacts/leads?organization_id=${made.organizationId}&phone_number=${encodeURIComponent(PHONE)}`,
  );
  const leadId: string = leads.body.leads[0].unique_id;
  const tenantId = (await sql.query("select tenant_id from contacts where phone = $1", [PHONE])).rows[0].tenant_id;
  const of = {
    tenantId,
    organizationId: parseId("organization", made.organizationId)!,
    userId: parseId("user", made.userId)!,
    agentId: parseId("agent", made.agentId)!,
  };
  mkdirSync(join(api.config.dataDir, "recordings"), { recursive: true });
  await insertCalls(sql, of as never, [
    {
      start_at: new Date("2026-03-04T15:00:00Z"),
      phone: PHONE,
      contact_id: parseId("contact", leadId)!,
      detail: {
        transcript: "Agent: Hi.\n",
        recording: "evidence-call.wav",
        recording_bytes: SOUND.length,
        recording_ms: 60_000,
      },
    },
  ]);
  await until("the refused text is a decision", async () => {
    const { rows } = await sql.query("select from messages where state = 'suppressed'");
    return rows.length > 0;
  });
  return { api, sql, leadId, ...made };
}

test("an archive has the whole story, is checked without us, and names what was changed in it", async (t) => {
  const { api, leadId } = await aStory(t);
  const folder = [join(api.config.dataDir, "recordings")];
  for (const each of folder) {
    mkdirSync(each, { recursive: true });
    writeFileSync(join(each, "evidence-call.wav"), SOUND);
  }
  const bytes = await archiveOf(api, leadId, "?recordings=true");
  const files = unzipSync(bytes);

  await t.test("consents and proofs, decisions, texts, calls, opt-outs in the contact's words", () => {
    assert.deepEqual(
      linesOf(files, "consents.ndjson").map(({ event, basis, proof, quote }) => [event, basis, proof, quote]),
      [
        ["granted", "express_written", "form 7 of 2026", null],
        ["granted", "express", "call 12 of the 3rd", null],
        ["revoked", null, null, "STOP please"],
      ],
    );
    assert.deepEqual(
      linesOf(files, "opt-outs.ndjson").map(({ quote }) => quote),
      ["STOP please"],
    );
    const outcomes = linesOf(files, "decisions.ndjson").map(({ outcome, rule, channel }) => [outcome, rule, channel]);
    assert.ok(
      outcomes.some(([outcome]) => outcome === "allowed"),
      JSON.stringify(outcomes),
    );
    assert.ok(
      outcomes.some(([outcome, rule]) => outcome === "blocked" && rule !== null),
      JSON.stringify(outcomes),
    );
    const texts = linesOf(files, "texts.ndjson");
    assert.ok(texts.some(({ direction, text }) => direction === "inbound" && text === "STOP please"));
    assert.ok(texts.some(({ direction, attempts }) => direction === "outbound" && attempts.length === 1));
    const [call] = linesOf(files, "calls.ndjson");
    const sha256 = createHash("sha256").update(SOUND).digest("hex");
    assert.deepEqual(call.recording, { name: `recordings/${call.id}.wav`, bytes: SOUND.length, sha256, ms: 60_000 });
    assert.equal(strFromU8(files[call.recording.name]!), SOUND);
    const page = strFromU8(files["index.html"]!);
    assert.ok(page.includes("form 7 of 2026") && !page.includes("<script"));
    assert.deepEqual(
      linesOf(files, "audit.ndjson").at(-1).entry.operation,
      "getEvidence",
      "that it was made is in the audit log, and in itself",
    );
  });

  await t.test("by its key, by hand and by verify", async () => {
    const { body } = await api.get("/v1/evidence/key");
    const key = createPublicKey(strFromU8(files["public-key.pem"]!));
    assert.ok(verify(null, files.SHA256SUMS!, key, files["SHA256SUMS.sig"]!));
    assert.equal(body.keys[0].public_key, strFromU8(files["public-key.pem"]!));
    for (const line of strFromU8(files.SHA256SUMS!).trimEnd().split("\n")) {
      const [digest, name] = line.split("  ") as [string, string];
      assert.equal(createHash("sha256").update(files[name]!).digest("hex"), digest, name);
    }
    const verdict = await verifyEvidence(inPieces(bytes), body.keys[0].fingerprint);
    assert.equal(verdict.fault, undefined);
    assert.ok(verdict.links >= 4, `${verdict.links} links`);
    assert.equal(verdict.unchained, 0);
  });

  await t.test(
    "one byte, a removed entry, swapped entries, a removed or added file, another key: each is found",
    async () => {
      const changed = (name: string, change: (text: string) => string): Files => ({
        ...files,
        [name]: strToU8(change(strFromU8(files[name]!))),
      });
      const lines = (change: (lines: string[]) => string[]) => (text: string) =>
        `${change(text.trimEnd().split("\n")).join("\n")}\n`;
      const reordered = lines(([a, b, c]) => [a!, c!, b!]);
      assert.equal(
        await faultOf(changed("consents.ndjson", (text) => text.replace("form 7", "form 8"))),
        "consents.ndjson: entry 1 was changed",
      );
      assert.equal(
        await faultOf(
          changed(
            "consents.ndjson",
            lines(([a, , c]) => [a!, c!]),
          ),
        ),
        "consents.ndjson: entry 2 is missing",
      );
      assert.equal(
        await faultOf(
          changed(
            "consents.ndjson",
            lines(([a, b]) => [a!, b!]),
          ),
        ),
        "consents.ndjson: entry 3 is missing",
      );
      assert.equal(
        await faultOf(changed("consents.ndjson", reordered)),
        "consents.ndjson: entries 2 and 3 have changed places",
      );
      assert.equal(
        await faultOf(
          changed(
            "consents.ndjson",
            lines((all) => [...all, all[0]!]),
          ),
        ),
        "consents.ndjson: entry 4 was added",
      );
      assert.match(
        (await faultOf(changed("index.html", (text) => text.replace("form 7", "form 8"))))!,
        /^index\.html: its bytes/,
      );
      const { "calls.ndjson": _, ...without } = files;
      assert.equal(await faultOf(without), "calls.ndjson: it is missing");
      assert.match((await faultOf({ ...files, "more.txt": strToU8("x") }))!, /^more\.txt: it is in no list/);
      assert.match(
        (await faultOf(changed("SHA256SUMS", (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0")))))!,
        /^SHA256SUMS: its signature/,
      );
      assert.match((await faultOf(files, "0".repeat(64)))!, /^public-key\.pem: it was signed with the key/);
      // What is not there is named, or the archive cannot be read at all.
      const cut = await verifyEvidence(inPieces(bytes.subarray(0, bytes.length / 2)), undefined).then(
        ({ fault }) => fault?.what,
        (error: Error) => error.message,
      );
      assert.match(cut ?? "", /missing|cut off|unpack/);
    },
  );

  await t.test("who signs a changed consent anew with another key is found by the chain", async () => {
    const pair = generateKeyPairSync("ed25519");
    const consents = strFromU8(files["consents.ndjson"]!).replace("form 7", "form 8");
    const forged: Files = {
      ...files,
      "consents.ndjson": strToU8(consents),
      "public-key.pem": strToU8(pair.publicKey.export({ type: "spki", format: "pem" }) as string),
    };
    const digest = (name: string) => createHash("sha256").update(forged[name]!).digest("hex");
    const names = strFromU8(files.SHA256SUMS!)
      .trimEnd()
      .split("\n")
      .map((line) => line.split("  ")[1]!);
    forged.SHA256SUMS = strToU8(names.map((name) => `${digest(name)}  ${name}\n`).join(""));
    forged["SHA256SUMS.sig"] = new Uint8Array(sign(null, forged.SHA256SUMS, pair.privateKey));
    assert.match(
      (await faultOf(forged))!,
      /^consents\.ndjson: entry 1, consent .* is not what its link of the chain says$/,
    );
    // Who leaves the links out too has an archive that says how much is in no chain.
    const links = linesOf(forged, "chain.ndjson").length;
    forged["chain.ndjson"] = strToU8("");
    forged.SHA256SUMS = strToU8(names.map((name) => `${digest(name)}  ${name}\n`).join(""));
    forged["SHA256SUMS.sig"] = new Uint8Array(sign(null, forged.SHA256SUMS, pair.privateKey));
    const { fault, unchained } = await check(forged);
    assert.deepEqual([fault, unchained], [undefined, links]);
  });

  await t.test("another tenant gets 404, and a key that may only read 403", async () => {
    const stranger = await anotherTenant(api);
    assert.equal((await stranger.get(`/v1/contacts/${leadId}/evidence`)).status, 404);
    const { body } = await api.post("/v1/api-keys", { name: "Reads", scopes: ["read"], mode: "test" });
    assert.equal((await api.get(`/v1/contacts/${leadId}/evidence`, { key: body.api_key })).status, 403);
    assert.equal((await api.get("/v1/contacts/lead_00000000000000000000000001/evidence")).status, 404);
  });

  await t.test("the command line makes one, and another machine's checks it without a database", async () => {
    const folder = aFolder("evidence");
    const parley = (args: string[], env: NodeJS.ProcessEnv) =>
      promisify(execFile)(process.execPath, [join(root, "bin/parley.ts"), "evidence", ...args], {
        ...{ cwd: folder, env: processEnv(env) },
      });
    const { tenant_id } = (await api.get("/v1/me")).body;
    const file = join(folder, "made.zip");
    const here = { DATABASE_URL: api.databaseUrl, PARLEY_DATA_DIR: api.config.dataDir };
    const made = await parley(["(212) 555-0101", "--tenant", tenant_id, "--test", "--out", file], here);
    assert.equal(made.stdout, `${file}\n`);
    const there = { PARLEY_DATA_DIR: join(folder, "another") };
    const { body } = await api.get("/v1/evidence/key");
    const checked = await parley(["verify", file, "--key", body.keys[0].fingerprint], there);
    assert.match(checked.stdout, /is whole: \d+ files, \d+ links/);
    assert.deepEqual(readdirSync(folder), ["made.zip"], "it needs no data folder of its own");
    const changed = unzipSync(readFileSync(file));
    changed["texts.ndjson"] = strToU8(strFromU8(changed["texts.ndjson"]!).replace("STOP please", "STOP pleasE"));
    writeFileSync(file, zipSync(changed));
    const wrong = await parley(["verify", file], there).catch((error: { code: number; stdout: string }) => error);
    assert.equal("code" in wrong && wrong.code, 1);
    assert.match(wrong.stdout, /is not as it was made: texts\.ndjson: entry \d+ was changed\./);
  });

  await t.test("of an erased contact it says so, and keeps the proof of it", async () => {
    assert.equal((await api.delete(`/v1/contacts/leads/${leadId}`)).status, 200);
    const erased = unzipSync(await archiveOf(api, leadId));
    assert.equal((await check(erased)).fault, undefined);
    const [erasure] = linesOf(erased, "erasures.ndjson");
    assert.equal(erasure.gone.length, 3);
    assert.ok(linesOf(erased, "chain.ndjson").some(({ kind, ref }) => kind === "erasure" && ref === erasure.id));
    assert.match(strFromU8(erased["index.html"]!), /This contact was erased at/);
    const all = Object.values(erased)
      .map((each) => strFromU8(each))
      .join();
    assert.ok(!/5550101|form 7|STOP please|Ann/.test(all));
  });
  assert.ok((await textsTo(api, PHONE)).length > 0);
});

test("a former number that is another contact's now brings nothing of that person", async (t) => {
  const { api, leadId, organizationId, userId } = await aStory(t);
  const moved = await api.patch(`/v1/contacts/leads/${leadId}`, { phone_number: "+12125550102" });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  const own = unzipSync(await archiveOf(api, leadId));
  assert.equal(linesOf(own, "consents.ndjson").length, 3, "a former number that is nobody else's belongs to it");
  const list = {
    list_name: "Others",
    user_id: userId,
    organization_id: organizationId,
    contacts: [{ phone_number: PHONE, first_name: "Ben", consent_basis: "express", consent_proof: "form 9 of 2026" }],
  };
  const created = await api.post("/v1/contacts/lists", list);
  assert.ok(created.status < 300, JSON.stringify(created.body));
  const files = unzipSync(await archiveOf(api, leadId));
  assert.equal((await check(files)).fault, undefined);
  const about = JSON.parse(strFromU8(files["contact.json"]!));
  assert.deepEqual([about.phone_numbers, about.left_out_phone_numbers], [["+12125550102"], [PHONE]]);
  for (const name of ["consents", "decisions", "texts", "calls", "opt-outs"])
    assert.deepEqual(linesOf(files, `${name}.ndjson`), [], name);
  const all = Object.values(files).map((each) => strFromU8(each));
  assert.ok(!/form 9|STOP please|Ben/.test(all.join()));
  assert.match(strFromU8(files["index.html"]!), /Left out<\/dt><dd>\+12125550101: also another contact/);
});

test("HEAD has the headers alone: no archive is made, no page is read, nothing is noted", async (t) => {
  const api = await startParley(t);
  const sql = await openClient(t, api.databaseUrl);
  const { organizationId } = await aCampaign(api, { contacts: [{ phone_number: PHONE }] });
  const { body } = await api.get(`/v1/contacts/leads?organization_id=${organizationId}`);
  const leadId: string = body.leads[0].unique_id;
  const entries = async () =>
    (await sql.query("select from audit_entries where operation = 'getEvidence'")).rows.length;
  const head = (path: string) => fetch(`${api.url}${path}`, { method: "HEAD", headers: { "x-api-key": api.key } });
  const [archive, table] = [await head(`/v1/contacts/${leadId}/evidence`), await head("/v1/opt-outs/export.csv")];
  assert.deepEqual([archive.status, archive.headers.get("content-type")], [200, "application/zip"]);
  assert.deepEqual([table.status, table.headers.get("content-type")?.split(";")[0]], [200, "text/csv"]);
  assert.equal((await head("/v1/contacts/lead_00000000000000000000000001/evidence")).status, 404);
  assert.equal(await entries(), 0);

  await archiveOf(api, leadId);
  assert.equal(await entries(), 1);
  const { rowCount } = await sql.query("update contacts set phone = 'removed:' || id::text where phone = $1", [PHONE]);
  assert.equal(rowCount, 1);
  assert.equal((await api.get(`/v1/contacts/${leadId}/evidence`)).status, 404, "it was removed with its import");
  assert.equal(await entries(), 1);
});
