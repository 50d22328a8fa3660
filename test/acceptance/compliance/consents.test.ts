import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { countsOf, importFile } from "#test/support/campaigns/import.ts";
import { gets, quiet, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";

const DAY_MS = 86_400_000;

test("consents", async (t) => {
  const api = await startParley(t);
  let noon = await aNoon(api);
  let n = 0;
  const phone = () => `+1303450${1000 + n++}`;
  const path = (at: string) => `/v1/consents/${encodeURIComponent(at)}`;
  const consentOf = async (at: string) => (await api.get(path(at))).body.consent;
  const daysAgo = (days: number) => new Date(noon.getTime() - days * DAY_MS).toISOString();
  const stopped = async () => {
    const at = phone();
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await gets(api, at, 1);
    await says(api, at, "Please take me off your list");
    await until("it is out", async () => (await consentOf(at)).opted_out);
    return { at, campaignId };
  };

  await t.test("a number that nobody knows has no consent, and no opt-out", async () => {
    const { status, body } = await api.get(path("(303) 555-0199"));
    assert.equal(status, 200);
    assert.deepEqual(body.consent, {
      phone_number: "+13035550199",
      opted_out: false,
      opted_out_at: null,
      opt_out_source: null,
      opt_out_quote: null,
      in_doubt: false,
      sms: null,
      voice: null,
      history: [],
    });
  });

  await t.test("a consent is recorded with its basis, source, time and proof, for one channel or both", async () => {
    const at = phone();
    const given = {
      basis: "express_written",
      source: "web_form",
      obtained_at: daysAgo(10),
      proof: "https://acme.example/f/1",
    };
    const { status, body } = await api.put(path(at), given);
    assert.equal(status, 200);
    const standing = { basis: "express_written", obtained_at: given.obtained_at, expires_at: null };
    assert.deepEqual([body.consent.sms, body.consent.voice], [standing, standing]);
    const [{ recorded_at, ...event }] = body.consent.history;
    assert.ok(recorded_at);
    assert.deepEqual(event, {
      event: "granted",
      basis: "express_written",
      channel: "any",
      source: "web_form",
      proof: given.proof,
      quote: null,
      at: given.obtained_at,
    });
    assert.deepEqual((await api.put(path(at), given)).body.consent, body.consent, "the same again changes nothing");
    const texts = await api.put(path(phone()), { basis: "express", source: "call", channel: "sms" });
    assert.deepEqual([texts.body.consent.sms.basis, texts.body.consent.voice], ["express", null]);
  });

  await t.test("a business relationship runs out after 18 months, an inquiry after 3", async () => {
    const at = phone();
    const { body } = await api.put(path(at), { basis: "inquiry", source: "web", obtained_at: daysAgo(100) });
    assert.equal(body.consent.sms, null, "it has run out");
    const bought = await api.put(path(at), {
      basis: "existing_business_relationship",
      source: "shop",
      obtained_at: daysAgo(30),
    });
    const { obtained_at, expires_at } = bought.body.consent.sms;
    const months = (new Date(expires_at).getTime() - new Date(obtained_at).getTime()) / DAY_MS / 30.44;
    assert.ok(months > 17.9 && months < 18.1, String(months));
    assert.equal(bought.body.consent.history.length, 2);
    const none = await api.put(path(at), { basis: "none", source: "audit" });
    assert.deepEqual([none.body.consent.sms, none.body.consent.opted_out], [null, false]);
    assert.equal(none.body.consent.history[0].event, "revoked");
  });

  await t.test("an opt-out ends every consent and keeps the contact's own words", async () => {
    const at = phone();
    await api.put(path(at), { basis: "express_written", source: "web", obtained_at: daysAgo(2) });
    await aCampaign(api, { contacts: [{ phone_number: at }] });
    await gets(api, at, 1);
    await says(api, at, "Hi. Please take me off your list. Thanks");
    const consent = await until("it is out", async () => {
      const found = await consentOf(at);
      return found.opted_out && found;
    });
    assert.deepEqual([consent.sms, consent.voice, consent.opt_out_source], [null, null, "free_text"]);
    assert.equal(consent.opt_out_quote, "Please take me off your list");
    const [revoked, granted] = consent.history;
    assert.deepEqual([revoked.event, revoked.quote, revoked.source], ["revoked", consent.opt_out_quote, "free_text"]);
    assert.equal(granted.event, "granted");
  });

  await t.test("recording a consent never undoes an opt-out, whatever its date", async () => {
    const { at } = await stopped();
    for (const obtained_at of [daysAgo(3), undefined]) {
      const { status, body } = await api.put(path(at), {
        basis: "express_written",
        source: "web",
        proof: "x",
        obtained_at,
      });
      assert.equal(status, 200);
      assert.deepEqual([body.consent.opted_out, body.consent.sms], [true, null]);
    }
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await until("it is suppressed", async () => (await threadOf(api, at, campaignId)).messages[0].rule === "opted_out");
  });

  await t.test("resubscribe ends an opt-out: express, proven, and later; else it is refused", async () => {
    const { at } = await stopped();
    const given = { basis: "express_written", source: "web", proof: "signed form 7", resubscribe: true };
    assert.deepEqual(wrongFields(await api.put(path(at), { ...given, basis: "inquiry" })), ["basis"]);
    assert.deepEqual(wrongFields(await api.put(path(at), { ...given, proof: " " })), ["proof"]);
    const early = await api.put(path(at), { ...given, obtained_at: daysAgo(1) });
    assert.deepEqual([early.status, early.body.code], [409, "conflict"]);
    assert.equal((await consentOf(at)).opted_out, true);
    const { status, body } = await api.put(path(at), given);
    assert.equal(status, 200);
    assert.deepEqual([body.consent.opted_out, body.consent.sms.basis], [false, "express_written"]);
    assert.deepEqual([body.consent.history[0].event, body.consent.history[0].proof], ["resubscribed", "signed form 7"]);
    await aCampaign(api, { contacts: [{ phone_number: at }] });
    await gets(api, at, 3);
  });

  await t.test("START from the phone is an express consent to texts, and brings no older one back", async () => {
    const at = phone();
    await api.put(path(at), { basis: "express_written", source: "web", obtained_at: daysAgo(2) });
    await aCampaign(api, { contacts: [{ phone_number: at }] });
    await gets(api, at, 1);
    await says(api, at, "STOP");
    await gets(api, at, 2);
    await says(api, at, "START");
    await gets(api, at, 3);
    const consent = await consentOf(at);
    assert.deepEqual([consent.sms.basis, consent.voice, consent.opted_out], ["express", null, false]);
    assert.deepEqual(
      consent.history.map((record: { event: string }) => record.event),
      ["resubscribed", "revoked", "granted"],
    );
  });

  await t.test("wrong fields are named", async () => {
    const at = path(phone());
    assert.deepEqual(wrongFields(await api.put(at, {})), ["basis", "source"]);
    assert.deepEqual(wrongFields(await api.put(at, { basis: "maybe", source: "x" })), ["basis"]);
    const given = { basis: "express", source: "x" };
    for (const obtained_at of ["yesterday", "2026-02-30T10:00:00Z", "0000-01-01T00:00:00Z", "9999-01-01T00:00:00Z"]) {
      assert.deepEqual(wrongFields(await api.put(at, { ...given, obtained_at })), ["obtained_at"], obtained_at);
    }
    assert.deepEqual(wrongFields(await api.put(path("911"), given)), ["phone_number"]);
    assert.deepEqual(wrongFields(await api.get(path("abc"))), ["phone_number"]);
    assert.equal((await api.put(at, { ...given, proof: "a\u0000b" })).status, 400);
  });

  await t.test("another tenant sees and changes nothing of it", async () => {
    const at = phone();
    await api.put(path(at), { basis: "express", source: "web" });
    const other = await anotherTenant(api);
    assert.equal((await other.get(path(at))).body.consent.sms, null);
    await other.put(path(at), { basis: "none", source: "web" });
    assert.equal((await consentOf(at)).sms.basis, "express");
  });

  await t.test("contacts of a campaign and of a list bring their consent with them", async () => {
    const [a, b, c] = [phone(), phone(), phone()];
    const consent_at = daysAgo(5);
    const { organizationId, userId } = await aCampaign(api, {
      contacts: [
        {
          phone_number: a,
          consent_basis: "express_written",
          consent_at,
          consent_source: "fair",
          consent_proof: "card 9",
        },
        { phone_number: b },
      ],
    });
    assert.deepEqual((await consentOf(a)).voice, {
      basis: "express_written",
      obtained_at: consent_at,
      expires_at: null,
    });
    assert.equal((await consentOf(a)).history[0].proof, "card 9");
    assert.equal((await consentOf(b)).sms, null);
    const list = { list_name: "L", organization_id: organizationId, user_id: userId };
    const contacts = [{ phone_number: c, consent_basis: "inquiry" }];
    assert.equal((await api.post("/v1/contacts/lists", { ...list, contacts })).status, 201);
    const { sms, history } = await consentOf(c);
    assert.deepEqual([sms.basis, history[0].source], ["inquiry", "import"]);
    const wrong = [
      { phone_number: c, consent_basis: "sure" },
      { phone_number: b, consent_basis: "express", consent_at: "5/6" },
    ];
    const refused = await api.post("/v1/contacts/lists", { ...list, contacts: wrong });
    assert.deepEqual(wrongFields(refused), ["contacts[0].consent_basis", "contacts[1].consent_at"]);
  });

  await t.test("a CSV file imports consents too, and a row with an invalid consent is reported", async () => {
    const [a, b] = [phone(), phone()];
    const file = `phone_number,consent_basis,consent_proof\n${a},express,form 3\n${b},surely,\n`;
    const fileImport = await importFile(api, await anOwner(api), file);
    assert.deepEqual(countsOf(fileImport), [1, 0, 0, 1]);
    const { sms, history } = await consentOf(a);
    assert.deepEqual([sms.basis, history[0].proof, (await consentOf(b)).sms], ["express", "form 3", null]);
  });

  await t.test("a contact that brings consent along does not undo its opt-out", async () => {
    const { at } = await stopped();
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at, consent_basis: "express_written" }] });
    await until("it is suppressed", async () => (await threadOf(api, at, campaignId)).messages[0].rule === "opted_out");
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 2);
    assert.equal((await consentOf(at)).opted_out, true);
    noon = await aNoon(api);
  });
});
