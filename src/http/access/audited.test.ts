import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import { restoreAgentVersion } from "#contract/agents/agents.ts";
import { resolveUnknownCall } from "#contract/campaigns/voice-campaigns.ts";
import { putConsent } from "#contract/compliance/consents.ts";
import { addDoNotCall } from "#contract/compliance/do-not-call.ts";
import { addNote, pauseAgent } from "#contract/messaging/threads.ts";
import { releasePhoneNumber } from "#contract/numbers/phone-numbers.ts";
import { resubmitTollFreeVerification } from "#contract/numbers/toll-free.ts";
import type { Operation } from "#contract/values/operation.ts";
import { auditContent } from "#domain/accounts/audit.ts";
import type { Caller } from "#operations/context.ts";
import { auditedRequest } from "./audited.ts";

const id = "01890000-0000-7000-8000-000000000001";
const caller: Caller = {
  ...{ tenantId: id, accountId: id, keyId: id, scopes: ["write"], organizations: undefined, newId: () => id },
  mode: "test",
};

/** What the log would keep of a request for good, and what it would erase with the contact. */
function kept(operation: unknown, params: Record<string, string>, body: unknown) {
  const request = { id, params, body, ip: "192.0.2.1", headers: {} } as unknown as FastifyRequest;
  const { note, asked } = auditedRequest(operation as Operation, request, caller).audited!;
  const { content, values } = auditContent(note, asked, () => Buffer.alloc(16));
  return {
    forGood: JSON.stringify([note.object, content]),
    object: note.object,
    apart: values.map(({ phone, value }) => `${phone} ${value}`),
  };
}

test("a contact's number in a path is not in the entry, but beside it", () => {
  const thread = kept(pauseAgent, { thread_id: "+12125550177_spring" }, null);
  assert.deepEqual(thread.object, { kind: "thread", id: null });
  assert.deepEqual(thread.apart, ['+12125550177 "+12125550177_spring"']);
  assert.doesNotMatch(thread.forGood, /5550177/);

  const consent = kept(putConsent, { phone_number: "(212) 555-0177" }, { text: "Maria said yes" });
  assert.deepEqual(consent.apart, ['+12125550177 "(212) 555-0177"']);
  assert.doesNotMatch(consent.forGood, /0177|Maria/);

  const note = kept(addNote, { thread_id: "+12125550177_spring" }, { text: "Maria is ill" });
  assert.doesNotMatch(note.forGood + note.apart, /Maria/);
});

test("a number in a body is its owner's in any notation, with all that stands beside it", () => {
  const body = { phone_number: "212 555 0177", reason: "Maria asked on the phone" };
  const { forGood, apart } = kept(addDoNotCall, {}, body);
  assert.doesNotMatch(forGood, /0177|Maria/);
  assert.deepEqual(apart, ['+12125550177 "212 555 0177"', '+12125550177 "Maria asked on the phone"']);
});

test("what else the path names stands beside the object", () => {
  const lead = kept(
    resolveUnknownCall,
    { campaign_id: "voice_campaign_spring", lead_id: "lead_1" },
    { action: "redial" },
  );
  assert.deepEqual(lead.object, { kind: "contact", id: "lead_1" });
  assert.match(lead.forGood, /"campaign_id":"voice_campaign_spring"/);
  const agent = kept(restoreAgentVersion, { agent_id: "agt_1", version: "3" }, undefined);
  assert.deepEqual(agent.object, { kind: "agent", id: "agt_1" });
  assert.match(agent.forGood, /"version":"3"/);
});

test("one of our own numbers is what was changed", () => {
  const own = kept(releasePhoneNumber, { phone_number: "+12125550100" }, undefined);
  assert.deepEqual([own.object, own.apart], [{ kind: "phone_number", id: "+12125550100" }, []]);
  const tollFree = kept(resubmitTollFreeVerification, { phone_number: "+18005550100" }, { city: "New York" });
  assert.deepEqual([tollFree.object, tollFree.apart], [{ kind: "phone_number", id: "+18005550100" }, []]);
});
