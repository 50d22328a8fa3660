import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialogPart } from "#ports/call-dialog.ts";
import { aCall, aDialog } from "#test/support/calls/session.ts";

/** Puts the first who speaks through, and answers others; whether the trunk takes it is the test's to say. */
async function transferring(agent: object = {}) {
  const parts: DialogPart[][] = [
    [
      { kind: "sentence", text: "I put you through." },
      { kind: "transfer", to: "+12125550199" },
    ],
  ];
  const dialog = aDialog(() => parts.shift() ?? [{ kind: "sentence", text: "I am with you again." }]);
  const decided = Promise.withResolvers<boolean>();
  const asked: string[] = [];
  const call = aCall(dialog, {
    agent,
    transfer: (to) => {
      asked.push(to);
      return decided.promise;
    },
  });
  call.session.greet();
  await call.pass(1_500);
  await call.say("let me talk to a person");
  await call.pass(3_000);
  assert.deepEqual(asked, ["+12125550199"]);
  const decide = async (ok: boolean) => {
    decided.resolve(ok);
    await call.pass(100);
  };
  return { dialog, call, decide };
}

const FAILED = '{"kind":"injected","text":"The transfer failed."}';

test("an agent that is putting the call through says nothing, and no silence ends the call", async () => {
  const { dialog, call, decide } = await transferring({ end_call_after_silence_ms: 10_000 });
  assert.equal(await call.pass(30_000), 0, "it is silent");
  assert.deepEqual([dialog.received.prompted, call.result()], [[], undefined]);
  await decide(true);
  assert.equal(call.result()!.reason, "call_transfer");
  assert.equal(call.result()!.requests.transferredTo, "+12125550199");
});

test("the silence before a transfer that fails does not count", async () => {
  const { dialog, call, decide } = await transferring({ end_call_after_silence_ms: 15_000 });
  await call.pass(14_000);
  await decide(false);
  await call.pass(9_000);
  assert.deepEqual([dialog.received.prompted, call.result()], [[FAILED], undefined]);
  await call.pass(40_000);
  assert.deepEqual(dialog.received.prompted.slice(1), [
    '{"kind":"silence","reminder":1}',
    '{"kind":"silence","reminder":2}',
  ]);
  assert.equal(call.result()!.reason, "inactivity");
});

test("what is said during a transfer is answered if it fails, after the failure was announced", async () => {
  const { dialog, call, decide } = await transferring();
  await call.say("are you still there");
  call.session.inject("Offer them Tuesday.");
  for (const digit of "12#") call.session.digit(digit);
  assert.equal(await call.pass(5_000), 0, "nothing is said yet");
  await call.say("hello hello");
  await call.pass(5_000);
  assert.deepEqual([dialog.received.said, dialog.received.prompted], [["let me talk to a person"], []]);
  await decide(false);
  await call.pass(8_000);
  assert.deepEqual(dialog.received.prompted, [
    '{"kind":"injected","text":"Offer them Tuesday.\\nThe transfer failed."}',
    '{"kind":"dtmf","digits":"12"}',
  ]);
  assert.deepEqual(dialog.received.said.slice(1), ["are you still there hello hello"]);
  call.session.end("user_hangup");
  // They waited for the trunk, not for the agent.
  assert.equal(call.result()!.latencies.length, 1);
});

test("what is said into the words before a transfer is answered if it fails", async () => {
  const dialog = aDialog((said) =>
    said === "wait a moment"
      ? [{ kind: "sentence", text: "I am waiting." }]
      : [
          { kind: "sentence", text: "I put you through to one of my colleagues who knows more about it." },
          { kind: "transfer", to: "+12125550199" },
        ],
  );
  const call = aCall(dialog, { transfer: async () => false });
  call.session.greet();
  await call.pass(1_500);
  await call.say("let me talk to a person");
  await call.pass(400);
  await call.say("wait a moment", 200);
  await call.pass(8_000);
  assert.deepEqual(dialog.received.prompted, [FAILED]);
  assert.deepEqual(dialog.received.said, ["let me talk to a person", "wait a moment"]);
});

test("a call that is being put through ends with its contact, at its longest, and when it is stopped", async () => {
  const gone = await transferring();
  gone.call.session.end("user_hangup");
  await gone.decide(true);
  assert.equal(gone.call.result()!.reason, "user_hangup");
  assert.equal(gone.call.result()!.requests.transferredTo, undefined);

  const long = await transferring({ max_call_duration_ms: 60_000 });
  await long.call.pass(60_000);
  assert.equal(long.call.result()!.reason, "max_duration_reached");
  await long.decide(false);
  assert.deepEqual(long.dialog.received.prompted, []);
});

test("a transfer that nobody could ask for has failed", async () => {
  const dialog = aDialog(() => [{ kind: "transfer", to: "+12125550199" }]);
  const call = aCall(dialog, {
    transfer: async () => {
      throw new Error("no such thing");
    },
  });
  call.session.greet();
  await call.pass(1_500);
  await call.say("let me talk to a person");
  await call.pass(3_000);
  assert.deepEqual(dialog.received.prompted, [FAILED]);
});
