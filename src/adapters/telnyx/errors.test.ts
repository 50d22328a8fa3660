import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, type ErrorClass, errorOf, errorsOf, isOptOut, refusal } from "./errors.ts";

/** The outcome of a text that is refused with a code of the class. */
const OUTCOMES: Record<ErrorClass, string> = {
  retry_later: "not_sent",
  stop_today: "not_sent",
  stop_number: "rejected",
  stop_sender: "barred carrier_sender_refused",
  opt_out: "rejected optedOut",
  our_fault: "rejected",
  credentials: "barred carrier_key_refused",
  account: "barred carrier_account_suspended",
  refused: "rejected",
};

test("every code of the table has words, a class, and that class's outcome", () => {
  assert.ok(ERRORS.size > 60);
  for (const [code, { words, class: kind }] of ERRORS) {
    assert.match(code, /^\d{5}$/);
    assert.match(words, /^[\w'&].{8,}[^.]$/, code);
    const outcome = refusal(400, [{ code }], undefined);
    const said = [
      outcome.outcome,
      ...("because" in outcome ? [outcome.because] : []),
      ...("optedOut" in outcome && outcome.optedOut ? ["optedOut"] : []),
    ].join(" ");
    assert.equal(said, OUTCOMES[kind], code);
    assert.equal((outcome as { code?: string }).code, code);
  }
  assert.deepEqual(new Set([...ERRORS.values()].map((known) => known.class)), new Set(Object.keys(OUTCOMES)));
});

test("the codes that the design names have their classes", () => {
  const classes = { 40001: "stop_number", 40002: "retry_later", 40003: "stop_sender", 40300: "opt_out" };
  for (const [code, kind] of Object.entries(classes)) assert.equal(errorOf(code).class, kind, code);
  for (const code of ["10009", "10010"]) assert.equal(errorOf(code).class, "credentials");
  assert.equal(errorOf("10011").class, "retry_later");
  for (const code of ["10004", "10016", "40009"]) assert.equal(errorOf(code).class, "our_fault");
});

test("a code that nobody knows is refused by the carrier, with the code", () => {
  assert.deepEqual(errorOf("49999"), { words: "refused by the carrier", class: "refused" });
  assert.deepEqual(refusal(422, [{ code: "49999" }], undefined), { outcome: "rejected", code: "49999" });
  assert.deepEqual(refusal(418, [], undefined), { outcome: "rejected", code: "418" });
});

test("an answer without a known code is read by its status", () => {
  assert.deepEqual(refusal(401, [], undefined), { outcome: "barred", because: "carrier_key_refused", code: "401" });
  assert.deepEqual(refusal(402, [{ code: "no_money" }], undefined), {
    outcome: "barred",
    because: "carrier_account_suspended",
    code: "no_money",
  });
  assert.deepEqual(refusal(429, [], 7_000), { outcome: "not_sent", code: "429", retryAfterMs: 7_000 });
});

test("40300 counts as the contact's word only where it speaks of a STOP", () => {
  assert.ok(isOptOut({ code: "40300" }));
  assert.ok(isOptOut({ code: "40300", title: "Blocked due to STOP message" }));
  assert.ok(isOptOut({ code: "40300", detail: "Messages cannot be sent from A to B due to an existing block rule." }));
  const other = { code: "40300", title: "The from number is not assigned to a messaging profile" };
  assert.ok(!isOptOut(other));
  assert.deepEqual(refusal(400, [other], undefined), {
    outcome: "barred",
    because: "carrier_sender_refused",
    code: "40300",
  });
  assert.ok(!isOptOut({ code: "40001", title: "STOP" }));
});

test("errors are read out of anything that a body may be", () => {
  for (const body of [undefined, null, 1, "x", [], {}, { errors: "no" }, { errors: [null, 1, {}, { code: {} }] }]) {
    assert.deepEqual(errorsOf(body), [], JSON.stringify(body));
  }
  assert.deepEqual(errorsOf({ errors: [{ code: 40001, title: "Not routable", detail: 5 }] }), [
    { code: "40001", title: "Not routable", detail: undefined },
  ]);
});
