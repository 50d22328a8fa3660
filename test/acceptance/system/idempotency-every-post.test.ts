import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Described, readOperations, urlOf } from "#test/support/api/openapi.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { PREPARED } from "#test/support/api/prepared-requests.ts";
import { aWorld, canSucceed, NEVER, type Sent, type World } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { sampled } from "#test/support/source/draw.ts";

/** Two bodies that the operation takes for two: the second has a space more. */
const text = (sent: Sent): string | undefined => (sent.body === undefined ? undefined : JSON.stringify(sent.body));
const another = (sent: Sent): string => `${text(sent) ?? "{}"} `;

/** A key and the link of an invitation are shown once: a repeat has null in their place. */
const asRepeated = (body: Record<string, unknown>) => ({
  ...body,
  ...("api_key" in body ? { api_key: null } : {}),
  ...("invitation_url" in body ? { invitation_url: null } : {}),
});
/** Where the same is shown of what cannot be asked for here, or is no one's but the simulator's. */
const ELSEWHERE: Record<string, string> = {
  uploadPicture: "a form of a picture: uploaded-pictures.test.ts",
  startImport: "a form: imports.test.ts, an import under an Idempotency-Key is made once",
  undoImport: "goes on in the background, while the rows of others are compared: import-undo.test.ts repeats it",
  checkIdentityProvider: "reads a provider that people alone set up: single-sign-on.test.ts",
  inviteUser: "a test key invites nobody: sessions.test.ts, a repeat does not tell the link again",
  actInHandsetCall: "plays a made-up phone while it rings: played-calls.test.ts",
};

const words = ({ status, body }: Answer) => [status, { ...body, request_id: "" }];

test("every POST takes an Idempotency-Key", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const other = await anotherTenant(api);
  const client = await openClient(t, api.databaseUrl);
  const all = (await readOperations(api)).filter((operation) => operation.method === "POST");
  const posts = all.filter((operation) => canSucceed(operation) || operation.id in PREPARED);
  assert.deepEqual(
    all
      .filter((operation) => !posts.includes(operation))
      .map(({ id }) => id)
      .sort(),
    Object.keys(ELSEWHERE).sort(),
  );
  const world = await aWorld(api);
  const theirWorld = await aWorld(other);
  const validOf =
    (of: typeof other, known: World) =>
    (operation: Described): Promise<Sent> =>
      PREPARED[operation.id]?.(of, client) ?? known.valid(operation, { fresh: true });
  const [valid, theirs] = [validOf(api, world), validOf(other, theirWorld)];

  let last = 0;
  const aKey = () => `key ${++last}`;
  const post = (
    operation: Described,
    sent: Sent,
    key: string,
    body = text(sent),
    as: Pick<typeof api, "request"> = api,
  ) =>
    as.request("POST", urlOf(operation.path, sent.params, sent.query), body, { headers: { "idempotency-key": key } });

  for (const operation of sampled(posts, 10, ({ id }) => id)) {
    await t.test(
      `${operation.id}: a repeat has the first status and body and does nothing new; another body is a 422 (B141)`,
      async () => {
        const [sent, key] = [await valid(operation), aKey()];
        const first = await post(operation, sent, key);
        assert.equal(first.status, operation.success.status, JSON.stringify(first.body));
        assert.equal(first.headers.get("idempotent-replayed"), null);
        const before = await digestOfRows(client);
        const again = await post(operation, sent, key);
        assert.deepEqual([again.status, again.body], [first.status, asRepeated(first.body)]);
        assert.equal(again.headers.get("idempotent-replayed"), "true");
        const reused = await post(operation, sent, key, another(sent));
        assert.deepEqual([reused.status, reused.body.code], [422, "idempotency_key_reused"]);
        assert.deepEqual(await digestOfRows(client), before);
      },
    );

    await t.test(
      `${operation.id}: a repeat while the first still runs is a 409; of two at once one is carried out (B142)`,
      async () => {
        const [sent, key] = [await valid(operation), aKey()];
        const both = await Promise.all([post(operation, sent, key), post(operation, sent, key)]);
        const done = both.filter((answer) => answer.status === operation.success.status);
        for (const answer of both.filter((each) => !done.includes(each))) {
          assert.deepEqual([answer.status, answer.body.code], [409, "request_in_progress"]);
        }
        assert.equal(done.filter((answer) => answer.headers.get("idempotent-replayed") === null).length, 1);
        await client.query(
          "update idempotency_keys set status = null, body = null, started_at = now() where key = $1",
          [key],
        );
        const before = await digestOfRows(client);
        const early = await post(operation, sent, key);
        assert.deepEqual([early.status, early.body.code], [409, "request_in_progress"]);
        assert.deepEqual(await digestOfRows(client), before);
      },
    );

    await t.test(`${operation.id}: another tenant's same key is another key (B143)`, async () => {
      const key = aKey();
      await post(operation, await valid(operation), key);
      const answer = await post(operation, await theirs(operation), key, undefined, other);
      assert.equal(answer.status, operation.success.status, JSON.stringify(answer.body));
      assert.equal(answer.headers.get("idempotent-replayed"), null);
    });

    await t.test(`${operation.id}: a key that is none is a 400 and nothing is done (B138-B140)`, async () => {
      const sent = await valid(operation);
      const before = await digestOfRows(client);
      for (const key of ["", "x".repeat(256), "a\tb", "\u00e4", "a\u0080b"]) {
        const answer = await post(operation, sent, key);
        assert.deepEqual([answer.status, answer.body.code], [400, "idempotency_key_invalid"], JSON.stringify(key));
      }
      assert.deepEqual(await digestOfRows(client), before);
    });

    await t.test(
      `${operation.id}: an error is repeated as it was, and what was refused before it began leaves the key free`,
      async () => {
        const sent = await valid(operation);
        const refused = operation.body?.required?.length ? await post(operation, sent, "refused", "{}") : undefined;
        if (refused) {
          assert.equal(refused.status, 400, JSON.stringify(refused.body));
          assert.deepEqual(words(await post(operation, sent, "refused", "{}")), words(refused));
        }
        const [param] = operation.pathParams;
        if (param === undefined || param === "phone_number") return;
        const wrong = { ...sent, params: { ...sent.params, [param]: NEVER[param]! } };
        const key = aKey();
        const first = await post(operation, wrong, key);
        const again = await post(operation, wrong, key);
        assert.equal(first.status, 404, JSON.stringify(first.body));
        assert.deepEqual([again.status, again.body], [first.status, first.body]);
        assert.equal(again.headers.get("idempotent-replayed"), "true");
      },
    );
  }

  await t.test("a failure of the interface's own is repeated as it was", async () => {
    const operation = posts.find(({ id }) => id === "createAgent")!;
    const sent = await world.valid(operation);
    const body = JSON.stringify({ ...(sent.body as object), agent_type: "voice", voice_id: "offline-nobody" });
    const first = await post(operation, sent, "voice", body);
    const again = await post(operation, sent, "voice", body);
    assert.deepEqual([first.status, first.body.code], [500, "voice_configuration_failed"]);
    assert.deepEqual([again.status, again.body], [500, first.body]);
  });

  await t.test("bodies so large that they are read in a thread are repeated too", async () => {
    for (const id of ["createContactList", "addCampaignLeads"]) {
      const operation = posts.find((each) => each.id === id)!;
      const sent = await valid(operation);
      const contacts = Array.from({ length: 1_000 }, (_, i) => ({
        phone_number: `+1212457${1000 + i}`,
        notes: "n".repeat(60),
      }));
      const large = { ...sent, body: { ...(sent.body as object), contacts, clients: contacts } };
      const key = aKey();
      const first = await post(operation, large, key);
      assert.equal(first.status, operation.success.status, JSON.stringify(first.body).slice(0, 300));
      const before = await digestOfRows(client);
      const again = await post(operation, large, key);
      assert.deepEqual([again.status, again.body], [first.status, first.body]);
      assert.equal((await post(operation, large, key, another(large))).status, 422);
      assert.deepEqual(await digestOfRows(client), before);
    }
  });
});
