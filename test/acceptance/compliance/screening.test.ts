import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { screeningCommand } from "#app/command/screening-command.ts";
import { wire } from "#app/context.ts";
import { startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, quiet, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

const DAY_MS = 86_400_000;
const run = promisify(execFile);

test("screening by lists, consent and reassigned numbers", async (t) => {
  const api = await startParley(t, { PARLEY_REASSIGNED_NUMBERS: "simulated" });
  const noon = await aNoon(api);
  const folder = aFolder("lists");
  const { tenant_id: tenant } = (await api.get("/v1/me")).body;
  const day = (ago: number) => new Date(noon.getTime() - ago * DAY_MS).toISOString().slice(0, 10);
  /** The command line, as an operator has it. Answers with what it prints. */
  const parley = async (...args: string[]) => {
    const env = processEnv({
      DATABASE_URL: api.databaseUrl,
      PARLEY_DATA_DIR: folder,
      PARLEY_LOG_LEVEL: "error",
    });
    return (await run(process.execPath, [join(root, "bin/parley.ts"), ...args], { env })).stdout;
  };
  const load = (text: string, ...more: string[]) => {
    const file = join(folder, "list.txt");
    writeFileSync(file, text);
    return parley("dnc", "import", file, "--tenant", tenant, ...more);
  };
  const ruleOf = async (at: string) => {
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }], agent: { reply_delay_ms: 0 } });
    return until(`${at} is decided`, async () => {
      const [message] = (await threadOf(api, at, campaignId)).messages;
      if (message.rule === "reassigned_unchecked") return false;
      return message.rule ?? (message.state === "delivered" && "sent");
    });
  };
  const consent = (at: string, basis: string, obtained_at: string) =>
    api.put(`/v1/consents/${encodeURIComponent(at)}`, { basis, source: "test", obtained_at });

  await t.test("a national file is imported, and who is on it is not texted without consent", async () => {
    assert.match(
      await load("212,5556001\n212,5556002\n", "--date", day(2)),
      /^1 area codes: 2 numbers added, 0 deleted\.$/m,
    );
    await consent("+12125556002", "express", `${day(5)}T12:00:00Z`);
    assert.equal(await ruleOf("+12125556001"), "national_do_not_call");
    assert.equal(await ruleOf("+12125556002"), "sent");
    assert.equal(await ruleOf("+12125556003"), "sent");
    assert.deepEqual(await textsTo(api, "+12125556001"), []);
  });

  await t.test("a change list is applied, and a file that cannot be read is refused with its line", async () => {
    assert.match(
      await load("212,5556001,D\n212,5556004,A\n", "--date", day(1), "--change"),
      /1 numbers added, 1 deleted/,
    );
    assert.equal(await ruleOf("+12125556001"), "sent");
    assert.equal(await ruleOf("+12125556004"), "national_do_not_call");
    const refused = await load("212,5556001\nnonsense\n", "--date", day(0)).catch((error) => error);
    assert.deepEqual([refused.code, refused.stderr], [1, "file line 2 is no phone number\n"]);
    const unknown = await parley(
      "dnc",
      "import",
      join(folder, "list.txt"),
      "--tenant",
      "tnt_1",
      "--date",
      day(0),
    ).catch((error) => error);
    assert.match(unknown.stderr, /^--tenant is not a tenant's id/);
  });

  await t.test("an old list holds its area code until the operator lets it do, with a reason", async () => {
    await load("", "--date", day(40), "--area-codes", "303");
    assert.equal(await ruleOf("+13035556001"), "national_list_old");
    await parley(
      "screening",
      "set",
      "--tenant",
      tenant,
      "--old-lists-until",
      `${day(-3)}T00:00:00Z`,
      "--reason",
      "renewal is late",
    );
    assert.equal(await ruleOf("+13035556002"), "sent");
    const shown = await parley("screening", "show", "--tenant", tenant);
    assert.match(shown, /older than 31 days: allowed until/);
    assert.match(shown, new RegExp(`^303 listed on ${day(40)}$`, "m"));
  });

  await t.test(
    "a number that has changed hands since the consent is not texted; one that has not is, after the answer",
    async () => {
      for (const [at, rule] of [
        ["+12125558801", "reassigned_number"],
        ["+12125558802", "sent"],
        ["+12125558803", "sent"],
      ] as const) {
        await consent(at, "express_written", "2025-06-01T12:00:00Z");
        const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }] });
        await until(`${at}: ${rule}`, async () => {
          const [message] = (await threadOf(api, at, campaignId)).messages;
          return message.rule === rule || (rule === "sent" && message.state === "delivered");
        });
      }
      assert.deepEqual(await textsTo(api, "+12125558801"), []);
    },
  );

  await t.test("where a consent is required, outreach without one is refused, and an answer is not", async () => {
    await parley("screening", "set", "--tenant", tenant, "--require-consent", "express", "--reason", "marketing");
    assert.equal(await ruleOf("+12125556005"), "consent_missing");
    const at = "+12125556003";
    await says(api, at, "Who is this?");
    await gets(api, at, 2);
  });
});

test("calls may need a consent of their own: without one they are not placed, with one they are, and texts go as before", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const { tenant_id: tenant } = (await api.get("/v1/me")).body;
  const { voiceAgentId } = await aVoiceAgent(api);
  const plan = (phones: string[]) => ({
    leads: phones.map((phone_number) => ({ phone_number })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
  });
  // Scripted to be busy: nobody waits for them.
  const [written, express, nobody, later] = [33, 34, 36, 37].map((n) => `+121255501${n}`) as [
    string,
    string,
    string,
    string,
  ];
  const consent = (at: string, basis: string) =>
    api.put(`/v1/consents/${encodeURIComponent(at)}`, { basis, source: "test" });
  await consent(written, "express_written");
  await consent(express, "express");
  const { preflight } = (await api.post("/v1/voice/campaigns/preflight", plan([written, express, nobody]))).body;
  assert.deepEqual(preflight.warnings, ["ai_voice_consent"]);
  assert.deepEqual([preflight.voice_consent.missing, preflight.recipients.will_be_called], [2, 3]);
  assert.match(preflight.voice_consent.law, /FCC 24-17/);
  const all = (await api.post("/v1/voice/campaigns/preflight", plan([written]))).body.preflight;
  assert.deepEqual([all.warnings, all.voice_consent.missing], [[], 0]);

  const made = {
    ...plan([written]),
    campaign_id: "brought",
    campaign_begin_time: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    leads: [
      { phone_number: written },
      { phone_number: nobody },
      { phone_number: "+12125550199", consent_basis: "express_written" },
    ],
  };
  for (const time of ["once", "again"]) {
    const { body } = await api.post("/v1/voice/campaigns", made);
    assert.deepEqual([body.contacts_count, body.without_voice_consent_count], [3, 1], time);
  }

  const decided = async (phones: string[]) => {
    assert.equal((await api.post("/v1/voice/campaigns", plan(phones))).status, 202);
    const verdicts = phones.map((phone) =>
      until(`${phone} is decided`, async () => {
        const query = new URLSearchParams({ phone_number: phone });
        const [decision] = (await api.get(`/v1/contactability/history?${query}`)).body.decisions;
        return decision && (decision.rule?.id ?? decision.decision);
      }),
    );
    return Promise.all(verdicts);
  };
  assert.deepEqual(await decided([later]), ["allowed"], "unless told nothing is required");

  const { ctx, close } = wire(api.config, api.databaseUrl, "cli");
  t.after(close);
  const screening = async (...args: string[]) => {
    const said: string[] = [];
    const command = screeningCommand(
      (work) => work(ctx),
      (line) => said.push(line),
    );
    await command.exitOverride().parseAsync([...args, "--tenant", tenant], { from: "user" });
    return said;
  };
  await screening("set", "--require-voice-consent", "express_written", "--reason", "an AI sells");
  assert.ok((await screening("show")).includes("required consent to calls, which an AI makes: express_written"));
  assert.deepEqual(await decided([written, express, nobody]), ["allowed", "ai_voice_consent", "ai_voice_consent"]);
  const asked = (channel: string) =>
    api.get(`/v1/contactability?${new URLSearchParams({ phone_number: nobody, channel })}`);
  assert.equal((await asked("voice")).body.rule.id, "ai_voice_consent");
  assert.match((await asked("voice")).body.reason, /express_written is required/);
  assert.equal((await asked("sms")).body.allowed, true);
});

test("unclear wishes, judged by a language model", async (t) => {
  const server = await startLanguageModelServer();
  t.after(() => server.close());
  const api = await startParley(t, { PARLEY_LLM_BASE_URL: server.url, PARLEY_LLM_MODEL: "small" });
  await aNoon(api);
  let n = 0;
  const begun = async () => {
    const at = `+1212557${1000 + n++}`;
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }], agent: { reply_delay_ms: 0 } });
    await gets(api, at, 1);
    // What is extracted from an earlier conversation is asked for in between, and takes the answer that is meant for this one.
    await quiet(api);
    server.requests.length = 0;
    return { at, campaignId };
  };
  const consentOf = async (at: string) => (await api.get(`/v1/consents/${encodeURIComponent(at)}`)).body.consent;
  const UNCLEAR = "Hi. This has to stop. Bye";

  for (const [name, answer, quote] of [
    ["says yes", '{"opt_out":"yes","quote":"has to stop"}', "has to stop"],
    ["is not sure", '{"opt_out":"unsure","quote":"Bye"}', "This has to stop"],
    ["makes its proof up", '{"opt_out":"no","quote":"you are great"}', "This has to stop"],
    ["writes prose", "Sure! Buy now and save!", "This has to stop"],
  ] as const) {
    await t.test(
      `a model that ${name} opts out, with the quote, one confirmation, and never a sales reply`,
      async () => {
        const { at, campaignId } = await begun();
        server.behave({ kind: "answer", text: answer });
        await says(api, at, UNCLEAR);
        const consent = await until("it is out", async () => {
          const found = await consentOf(at);
          return found.opted_out && found;
        });
        assert.deepEqual(
          [consent.opt_out_quote, consent.in_doubt, consent.opt_out_source],
          [quote, false, "free_text"],
        );
        assert.match((await gets(api, at, 2))[1]!, /^You are unsubscribed from Acme/);
        await quiet(api);
        assert.equal((await textsTo(api, at)).length, 2);
        assert.equal((await threadOf(api, at, campaignId)).state, "opted_out");
      },
    );
  }

  await t.test("a model that is away opts out", async () => {
    const { at } = await begun();
    server.behave({ kind: "status", status: 500 });
    await says(api, at, UNCLEAR);
    await until("it is out", async () => (await consentOf(at)).opted_out);
  });

  const FRIDGE = "My fridge leaks and this has to stop, can you help?";
  const NO = { kind: "answer", text: '{"opt_out":"no","quote":"this has to stop"}' } as const;

  await t.test("a proven no is answered by the agent", async () => {
    const { at } = await begun();
    server.behave(NO, { kind: "answer", text: "What happened?" });
    await says(api, at, FRIDGE);
    assert.equal((await gets(api, at, 2))[1], "What happened?");
    const { opted_out, in_doubt, history } = await consentOf(at);
    assert.deepEqual([opted_out, in_doubt, history], [false, false, []]);
  });

  await t.test("while it is judged nothing leaves, not even a person's text, and afterwards it does", async () => {
    const { at, campaignId } = await begun();
    let judged: (value?: unknown) => void = () => {};
    server.behave({ kind: "wait", for: new Promise((resolve) => (judged = resolve)), next: NO });
    await says(api, at, FRIDGE);
    await until("it is in doubt", async () => (await consentOf(at)).in_doubt && server.requests.length >= 1);
    await api.post(`/v1/sms/threads/${encodeURIComponent(at)}_${campaignId}/messages`, { text: "A person writes" });
    await until("the text is held", async () => {
      const { messages } = await threadOf(api, at, campaignId);
      return messages.find((message: { kind: string }) => message.kind === "human").rule === "opt_out_in_doubt";
    });
    assert.equal((await textsTo(api, at)).length, 1);
    judged();
    assert.equal((await gets(api, at, 2))[1], "A person writes");
  });
});
