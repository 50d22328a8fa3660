import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignIs, quiet, says } from "#test/support/messaging/handset.ts";

type Lead = Record<string, string | null>;
const NOBODY = "00000000000000000000000000";

test("finding contacts, and what there was with each", async (t) => {
  const api = await startParley(t);
  const owner = await anOwner(api);
  const contacts = [
    { phone_number: "+12125550101", first_name: "Ann", last_name: "Smith" },
    { phone_number: "+12125550102", first_name: "Mary Ann", last_name: "de la Cruz" },
    // A phone that answers nothing by itself: what it says here is all that it says.
    { phone_number: "+13035550163", first_name: "Bo", last_name: "Annan" },
    { phone_number: "+13035550123", last_name: "O'Neil 100%" },
  ];
  const made = await api.post("/v1/contacts/lists", { list_name: "All", ...owner, contacts });
  const leads: Lead[] = made.body.leads;
  const part = await api.post("/v1/contacts/lists", { list_name: "Part", ...owner, contacts: contacts.slice(0, 2) });
  const path = `/v1/contacts/leads?organization_id=${owner.organization_id}`;
  const phonesOf = async (query: string): Promise<string[]> => {
    const { status, body } = await api.get(path + query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.leads.map((lead: Lead) => lead.phone_number!.slice(-3)).sort();
  };
  const search = (text: string) => phonesOf(`&search=${encodeURIComponent(text)}`);

  await t.test("by the beginning of a name, of both in either order, or of a number", async () => {
    assert.deepEqual(await search("ann"), ["101", "163"]);
    assert.deepEqual(await search("SMITH"), ["101"]);
    assert.deepEqual(await search("smith a"), ["101"]);
    assert.deepEqual(await search("mary ann"), ["102"]);
    assert.deepEqual(await search("ann cruz"), []);
    assert.deepEqual(await search("de la"), ["102"]);
    assert.deepEqual(await search("de la cruz"), ["102"]);
    assert.deepEqual(await search("mary de la"), ["102"]);
    assert.deepEqual(await search("mary de lo"), []);
    assert.deepEqual(await search("o'neil 100%"), ["123"]);
    assert.deepEqual(await search("%"), []);
    assert.deepEqual(await search("(303) 555-01"), ["123", "163"]);
    assert.deepEqual(await search("+1303555012"), ["123"]);
    assert.deepEqual(await search("555"), []);
    assert.deepEqual(await search("555-0123"), ["123"], "without its area code");
    assert.deepEqual(await search("3 555 0123"), ["123"], "with a part of it");
    assert.deepEqual(await search("2 555 0123"), [], "of another area");
    assert.equal((await search(" ")).length, 4);
  });

  await t.test("by list, in pages, and all of it at once", async () => {
    const list = `&list_id=${part.body.list_id}`;
    assert.deepEqual(await phonesOf(list), ["101", "102"]);
    assert.deepEqual(await phonesOf(`${list}&search=ann`), ["101"]);
    const first = await api.get(`${path}&search=303&limit=1`);
    assert.deepEqual([first.body.count, first.body.has_more], [1, true]);
    const second = await api.get(`${path}&search=303&limit=1&pagination_key=${first.body.next_pagination_key}`);
    assert.deepEqual([second.body.count, second.body.has_more], [1, false]);
    assert.notEqual(first.body.leads[0].unique_id, second.body.leads[0].unique_id);
    assert.equal((await api.get(`${path}&list_id=list_${NOBODY}`)).status, 404);
    const both = await api.get(`${path}&search=ann&phone_number=%2B12125550101`);
    assert.deepEqual([both.status, wrongFields(both)], [400, ["search"]]);
  });

  await aNoon(api);
  const campaign = await aCampaign(api, { contacts: contacts.slice(0, 3), agent: owner, campaign: owner });
  await campaignIs(api, campaign.campaignId, "active");
  const [, , bo] = leads;
  const timelineOf = async (lead: Lead, query = "") => {
    const answer = await api.get(`/v1/contacts/leads/${lead.unique_id}/timeline${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  await t.test("its timeline has every text, newest first, in pages that hold each once", async () => {
    const sent = () =>
      timelineOf(bo!).then(({ entries }) => entries.some((entry: Lead) => entry.state === "delivered"));
    await until("the first text is delivered", sent);
    await quiet(api);
    await says(api, "+13035550163", "STOP");
    const stopped = async () => (await phonesOf("&opted_out=true")).includes("163");
    await until("the number is opted out", stopped);
    const { entries } = await timelineOf(bo!);
    const inbound = entries.find((entry: Lead) => entry.direction === "inbound");
    assert.deepEqual([inbound.text, inbound.channel, inbound.phone_number], ["STOP", "sms", "+13035550163"]);
    assert.equal(inbound.campaign_id, campaign.campaignId);
    const times = entries.map((entry: Lead) => entry.at);
    assert.deepEqual(times, times.toSorted().reverse());
    const seen: string[] = [];
    for (let key: string | null = ""; key !== null; ) {
      const page = await timelineOf(bo!, `?limit=1${key && `&pagination_key=${key}`}`);
      seen.push(...page.entries.map((entry: Lead) => entry.id));
      key = page.next_pagination_key;
    }
    assert.deepEqual(
      seen,
      entries.map((entry: Lead) => entry.id),
    );
    assert.deepEqual((await timelineOf(leads[3]!)).entries, []);
    const gone = await api.get(`/v1/contacts/leads/lead_${NOBODY}/timeline`);
    assert.deepEqual([gone.status, gone.body.error], [404, "Contact not found"]);
  });

  await t.test("by opt-out, of which each says when", async () => {
    assert.deepEqual(await phonesOf("&opted_out=true"), ["163"]);
    assert.deepEqual(await phonesOf("&opted_out=false"), ["101", "102", "123"]);
    const { body } = await api.get(`${path}&opted_out=true`);
    assert.match(body.leads[0].opted_out_at, /^\d{4}-/);
  });

  await t.test("opt-outs are listed with the contact's words, and come as a file", async () => {
    const { body } = await api.get("/v1/opt-outs");
    assert.deepEqual(
      body.opt_outs.map((optOut: Lead) => [optOut.phone_number, optOut.source]),
      [["+13035550163", "keyword"]],
    );
    assert.equal((await api.get("/v1/opt-outs?source=agent")).body.count, 0);
    assert.equal((await api.get("/v1/opt-outs?source=keyword&phone_number=3035550163")).body.count, 1);
    assert.equal((await api.get("/v1/opt-outs?phone_number=911")).status, 400);
    const file = await api.get("/v1/opt-outs/export.csv");
    assert.deepEqual(
      (parse(file.body, { columns: true }) as Lead[]).map((lead) => [lead.phone_number, lead.source]),
      [["+13035550163", "keyword"]],
    );
  });

  await t.test("another tenant finds nothing of it", async () => {
    const stranger = await anotherTenant(api);
    assert.equal((await stranger.get(`/v1/contacts/leads/${bo!.unique_id}/timeline`)).status, 404);
    assert.equal((await stranger.get("/v1/opt-outs")).body.count, 0);
    assert.equal((await stranger.get(`${path}&search=ann`)).status, 404);
  });
});
