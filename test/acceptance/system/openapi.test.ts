import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, startParley } from "#test/support/api/parley.ts";

/** Every operation of interface.md and contract.md that is in scope, as method and path. */
const OPERATIONS = `
  POST /v1/organizations
  GET /v1/organizations
  GET /v1/organizations/{org_id}
  PATCH /v1/organizations/{org_id}
  POST /v1/organizations/{org_id}/users
  GET /v1/organizations/{org_id}/users
  GET /v1/users
  PATCH /v1/users/{user_id}
  DELETE /v1/users/{user_id}
  POST /v1/users/{user_id}/invitation
  GET /v1/users/{user_id}/sessions
  DELETE /v1/users/{user_id}/sessions
  DELETE /v1/users/{user_id}/factors
  GET /v1/identity-providers
  POST /v1/identity-providers
  PUT /v1/identity-providers/{provider_id}
  DELETE /v1/identity-providers/{provider_id}
  POST /v1/identity-providers/{provider_id}/check
  GET /v1/session/oidc
  POST /v1/session/oidc
  POST /v1/session/oidc/callback
  GET /v1/sign-in-policy
  PUT /v1/sign-in-policy
  GET /v1/overview
  GET /v1/analytics/activity
  GET /v1/analytics/breakdown
  GET /v1/requests
  GET /v1/retention
  PUT /v1/retention
  GET /v1/audit
  GET /v1/audit/export.csv
  GET /v1/audit/verify
  GET /v1/system
  POST /v1/system/set-aside/{task_id}/resolve
  POST /v1/system/test-model
  POST /v1/system/test-carrier
  GET /v1/setup
  POST /v1/setup
  POST /v1/invitations
  POST /v1/session
  GET /v1/session
  PATCH /v1/session
  DELETE /v1/session
  POST /v1/session/password
  POST /v1/session/proof
  POST /v1/session/proof-options
  POST /v1/session/passkey
  POST /v1/session/passkey-options
  GET /v1/factors
  POST /v1/factors/app
  POST /v1/factors/passkey
  POST /v1/factors/passkey-options
  POST /v1/factors/recovery-codes
  POST /v1/factors/{factor_id}/confirmation
  PATCH /v1/factors/{factor_id}
  DELETE /v1/factors/{factor_id}
  GET /v1/sessions
  DELETE /v1/sessions
  DELETE /v1/sessions/{session_id}
  POST /v1/agents
  GET /v1/agents
  GET /v1/agents/{agent_id}
  PATCH /v1/agents/{agent_id}
  DELETE /v1/agents/{agent_id}
  GET /v1/agents/{agent_id}/versions
  POST /v1/agents/{agent_id}/versions/{version}/restore
  GET /v1/agents/{agent_id}/script
  PUT /v1/agents/{agent_id}/script
  DELETE /v1/agents/{agent_id}/script
  GET /v1/voices
  GET /v1/voices/{voice_id}/sample
  GET /v1/extractions
  GET /v1/extractions/export.csv
  POST /v1/extractions/reanalyze
  POST /v1/playground/turns
  GET /v1/playground/calls
  POST /v1/playground/preview
  POST /v1/contacts/lists
  GET /v1/contacts/lists
  GET /v1/contacts/lists/{list_id}
  DELETE /v1/contacts/lists/{list_id}
  GET /v1/contacts/lists/{list_id}/leads
  GET /v1/contacts/leads
  GET /v1/contacts/leads/export.csv
  POST /v1/contacts/leads/actions
  POST /v1/contacts/imports
  GET /v1/contacts/imports
  GET /v1/contacts/imports/{import_id}
  GET /v1/contacts/imports/{import_id}/errors
  GET /v1/contacts/imports/{import_id}/errors.csv
  POST /v1/contacts/imports/{import_id}/undo
  GET /v1/contacts/leads/{lead_id}
  GET /v1/contacts/leads/{lead_id}/timeline
  GET /v1/contacts/{lead_id}/evidence
  GET /v1/evidence/key
  PATCH /v1/contacts/leads/{lead_id}
  DELETE /v1/contacts/leads/{lead_id}
  POST /v1/campaigns
  GET /v1/campaigns
  GET /v1/campaigns/{campaign_id}
  PATCH /v1/campaigns/{campaign_id}
  DELETE /v1/campaigns/{campaign_id}
  POST /v1/campaigns/{campaign_id}/leads
  GET /v1/campaigns/{campaign_id}/leads
  GET /v1/campaigns/{campaign_id}/leads/export.csv
  GET /v1/campaigns/{campaign_id}/reasons
  GET /v1/campaigns/{campaign_id}/messages
  GET /v1/messages/{message_id}
  POST /v1/media
  GET /v1/media/{media_id}
  POST /v1/campaigns/{campaign_id}/messages/{message_id}/resend
  POST /v1/campaigns/{campaign_id}/pause
  POST /v1/campaigns/{campaign_id}/resume
  POST /v1/campaigns/preflight
  POST /v1/campaigns/{campaign_id}/preflight
  GET /v1/sms/threads
  GET /v1/sms/threads/{thread_id}
  POST /v1/sms/threads/{thread_id}/messages
  POST /v1/sms/threads/{thread_id}/pause-agent
  POST /v1/sms/threads/{thread_id}/resume-agent
  POST /v1/sms/threads/{thread_id}/assign
  POST /v1/sms/threads/{thread_id}/notes
  PUT /v1/sms/threads/{thread_id}/read
  POST /v1/sms/threads/read
  GET /v1/live-checks
  GET /v1/sending
  PATCH /v1/sending
  POST /v1/sending/stop
  POST /v1/sending/resume
  GET /v1/sms/extractions
  GET /v1/sms/extractions/{thread_id}
  POST /v1/sms/extractions/{thread_id}/rerun
  GET /v1/events
  GET /v1/events/stream
  GET /v1/consents/{phone_number}
  PUT /v1/consents/{phone_number}
  GET /v1/opt-outs
  GET /v1/opt-outs/export.csv
  POST /v1/dnc/add
  POST /v1/dnc/remove
  GET /v1/dnc
  GET /v1/dnc/export.csv
  POST /v1/dnc/import
  GET /v1/contactability
  GET /v1/contactability/history
  POST /v1/contactability/what-if
  GET /v1/10dlc/phone-numbers/area-codes
  GET /v1/10dlc/phone-numbers/area-codes/states
  POST /v1/carriers
  GET /v1/carriers
  GET /v1/carriers/{carrier_id}
  PATCH /v1/carriers/{carrier_id}
  DELETE /v1/carriers/{carrier_id}
  POST /v1/carriers/{carrier_id}/connect
  POST /v1/carriers/{carrier_id}/check
  POST /v1/carriers/{carrier_id}/rotate
  POST /v1/number-lookups
  GET /v1/number-lookups/{phone_number}
  POST /v1/campaigns/{campaign_id}/line-types
  POST /v1/contacts/lists/{list_id}/line-types
  POST /v1/10dlc/brand
  GET /v1/10dlc/brand
  GET /v1/10dlc/brand/{brand_id}
  GET /v1/10dlc/brand/{brand_id}/use
  POST /v1/10dlc/brand/{brand_id}/resubmit
  POST /v1/toll-free/verifications
  GET /v1/toll-free/verifications
  GET /v1/toll-free/verifications/{phone_number}
  POST /v1/toll-free/verifications/{phone_number}/resubmit
  POST /v1/10dlc/campaign
  GET /v1/10dlc/campaign
  GET /v1/10dlc/campaign/{campaign_id}
  POST /v1/10dlc/campaign/{campaign_id}/phone-numbers
  POST /v1/voice/phone-numbers/create
  GET /v1/voice/phone-numbers
  GET /v1/voice/phone-numbers/search
  GET /v1/voice/phone-numbers/health
  POST /v1/voice/phone-numbers/purchase
  DELETE /v1/voice/phone-numbers/{phone_number}
  PATCH /v1/voice/phone-numbers/{phone_number}
  POST /v1/voice/phone-numbers/{phone_number}/update-agent
  POST /v1/voice/campaigns
  GET /v1/voice/campaigns
  POST /v1/voice/campaigns/preflight
  GET /v1/voice/campaigns/{campaign_id}
  PATCH /v1/voice/campaigns/{campaign_id}
  DELETE /v1/voice/campaigns/{campaign_id}
  POST /v1/voice/campaigns/{campaign_id}/leads
  GET /v1/voice/campaigns/{campaign_id}/leads
  POST /v1/voice/campaigns/{campaign_id}/leads/{lead_id}/resolve
  POST /v1/voice/campaigns/{campaign_id}/pause
  POST /v1/voice/campaigns/{campaign_id}/resume
  POST /v1/voice/campaigns/{campaign_id}/stop-calls
  GET /v1/voice/campaigns/{campaign_id}/reasons
  GET /v1/voice/campaigns/{campaign_id}/leads/export.csv
  GET /v1/voice/campaigns/{campaign_id}/calls
  GET /v1/voice/campaigns/{campaign_id}/analytics
  GET /v1/voice/campaigns/{campaign_id}/failed-numbers
  GET /v1/campaigns/{campaign_id}/analytics
  GET /v1/voice/calls
  GET /v1/voice/calls/{call_id}
  GET /v1/voice/calls/{call_id}/recording
  GET /v1/voice/calls/{call_id}/waveform
  POST /v1/voice/calls
  POST /v1/voice/calls/{call_id}/stop
  POST /v1/voice/calls/{call_id}/inject
  POST /v1/api-keys
  GET /v1/api-keys
  DELETE /v1/api-keys/{key_id}
  POST /v1/api-keys/{key_id}/rotate
  GET /v1/me
  POST /v1/simulator/handsets/{phone_number}/messages
  POST /v1/simulator/handsets/{phone_number}/calls
  POST /v1/simulator/handsets/{phone_number}/calls/{call}
  GET /v1/simulator/handsets/{phone_number}/calls/{call}/sound
  GET /v1/simulator/handsets
  GET /v1/simulator/handsets/{phone_number}
  PUT /v1/simulator/handsets/{phone_number}
  GET /v1/simulator/traffic
  POST /v1/simulator/clock
  GET /v1/simulator/clock
  POST /v1/demo
  GET /v1/demo
  DELETE /v1/demo`
  .trim()
  .split(/\n\s*/);

type Documented = {
  operationId: string;
  summary: string;
  tags: string[];
  requestBody?: unknown;
  security?: unknown[];
  responses: Record<string, unknown>;
};

test("the OpenAPI document and its page", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { status, body: document } = await api.get("/openapi.json", { key: null });
  const documented = Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

  await t.test("it is OpenAPI 3.1 and needs no key", () => {
    assert.equal(status, 200);
    assert.match(document.openapi, /^3\.1\./);
    const { apiKey, session } = document.components.securitySchemes;
    assert.deepEqual(apiKey, { type: "apiKey", in: "header", name: "X-API-Key" });
    assert.deepEqual([session.type, session.in, session.name], ["apiKey", "cookie", "parley_session"]);
    assert.deepEqual(document.security, [{ apiKey: [] }, { session: [] }]);
  });

  await t.test("it lists every operation, and no other", () => {
    assert.deepEqual(documented.map(({ method, path }) => `${method} ${path}`).sort(), OPERATIONS.toSorted());
  });

  await t.test("every operation has its own id, a summary, a success and the error body", () => {
    const ids = documented.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { operation } of documented) {
      assert.ok(operation.summary && operation.tags.length === 1, operation.operationId);
      const statuses = Object.keys(operation.responses);
      assert.ok(
        statuses.some((status) => /^(101|20[0-2])$/.test(status)),
        operation.operationId,
      );
      for (const status of ["400", "429", "500", "503"]) assert.ok(statuses.includes(status), operation.operationId);
    }
  });

  await t.test("every reference in it leads somewhere", () => {
    for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = path!
        .split("/")
        .slice(1)
        .reduce<unknown>(
          (at, part) => (at as Record<string, unknown>)[decodeURIComponent(part).replaceAll("~1", "/")],
          document,
        );
      assert.ok(found, path);
    }
  });

  const call = (path: string, method: string, body: unknown, key: string | null): Promise<Answer> =>
    api.request(method, path.replace(/\{\w+\}/g, "nonsense"), body, { key });

  await t.test(
    "every operation without a key or a session is the same 401, but for those that need neither",
    async () => {
      const open = documented.filter(({ operation }) => operation.security?.length === 0);
      assert.deepEqual(open.map(({ operation }) => operation.operationId).sort(), [
        "acceptInvitation",
        "completeSignOn",
        "createSignInOptions",
        "findSignOn",
        "getSetup",
        "setUp",
        "signIn",
        "signInByPasskey",
        "startSignOn",
      ]);
      for (const { method, path, operation } of documented.filter((entry) => !open.includes(entry))) {
        const answer = await call(path, method, operation.requestBody ? {} : undefined, null);
        assert.deepEqual([answer.status, answer.body.error], [401, "Invalid API key"], `${method} ${path}`);
      }
    },
  );

  await t.test("no operation fails on an empty, a wrong or an unexpected body", async () => {
    const bodies = [
      undefined,
      "",
      "null",
      "[]",
      "{}",
      '"x"',
      "{",
      '{"name":{"a":[null]},"contacts":{},"clients":[[]]}',
    ];
    for (const { method, path } of documented) {
      for (const body of method === "GET" ? [undefined] : bodies) {
        const answer = await call(path, method, body, api.key);
        assert.ok(answer.status < 500, `${method} ${path} ${body}: ${answer.status}`);
        if (/^(text\/(event-stream|csv)|application\/zip)/.test(answer.headers.get("content-type")!)) continue;
        assert.equal(answer.body.success, answer.status < 400, `${method} ${path} ${body}`);
        assert.equal(answer.body.powered_by, "Parley");
      }
    }
  });

  await t.test("every required field of a body is named when it is missing", async () => {
    const byKey = documented.filter(
      ({ operation }) => operation.security === undefined || operation.security.length !== 1,
    );
    for (const { method, path, operation } of byKey) {
      const schema = bodySchema(operation, document.components.schemas);
      for (const field of schema?.required ?? []) {
        const { status: refused, body } = await call(path, method, {}, api.key);
        assert.equal(refused, 400, `${method} ${path}`);
        assert.ok(
          body.details.some((detail: { field: string }) => detail.field === field),
          `${method} ${path} does not name ${field}`,
        );
      }
    }
  });

  await t.test("the reference page loads from this host alone", async () => {
    const page = await fetch(`${api.url}/docs`);
    assert.equal(page.status, 200);
    const html = await page.text();
    assert.deepEqual(otherHosts(html), []);
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path!, page.url));
    assert.ok(parts.length > 2);
    for (const part of parts) {
      const loaded = await fetch(part);
      assert.equal(loaded.status, 200, part.href);
      if (part.pathname.endsWith("initializer.js")) assert.deepEqual(otherHosts(await loaded.text()), []);
      else await loaded.arrayBuffer();
    }
    const home = await fetch(`${api.url}/`, { redirect: "manual" });
    assert.deepEqual([home.status, home.headers.get("location")], [302, "/console/"]);
  });
});

type BodySchema = { $ref?: string; required?: string[] };

function bodySchema({ requestBody }: Documented, schemas: Record<string, BodySchema>): BodySchema | undefined {
  const body = requestBody as { content?: Record<string, { schema: BodySchema }> } | undefined;
  const schema = body?.content?.["application/json"]?.schema;
  return schema?.$ref ? schemas[schema.$ref.split("/").at(-1)!] : schema;
}

/** Addresses that a browser would load from: not what is merely named, such as an XML namespace. */
function otherHosts(text: string): string[] {
  return [...text.matchAll(/(?:src|href|url)\s*[=:(]\s*["']?(https?:\/\/[^"'\s)]+)/g)].map(([, url]) => url!);
}
