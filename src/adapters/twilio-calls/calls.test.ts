import assert from "node:assert/strict";
import { test } from "node:test";
import type { TwilioApi } from "#adapters/twilio/api.ts";
import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import { twilioCalls } from "./calls.ts";

const NOW = new Date("2026-03-02T12:00:00Z");
const signal = new AbortController().signal;
const before = (ms: number, now = NOW) => new Date(now.getTime() - ms).toUTCString();
const ours = { sid: "CAours", status: "ringing", direction: "outbound-api", date_created: before(0) };

const over = (client: Partial<TwilioApi["client"]>) =>
  twilioCalls(
    { account: { sid: "AC1" }, request: () => ({}), client } as unknown as TwilioApi,
    "https://parley.example",
  );

function found(listed: readonly object[], date: string | undefined = before(0)) {
  const headers = date === undefined ? {} : { date };
  const calls = over({ safely: async () => ({ status: 200, headers, text: JSON.stringify({ calls: listed }) }) });
  return calls.find({ from: "+1", to: "+2", since: NOW, now: () => NOW, known: new Set(["CAknown"]) }, signal);
}

test("a call without an answer is found where it alone can be it", async () => {
  assert.equal((await found([ours]))?.sid, "CAours");
  assert.equal((await found([ours, { ...ours, sid: "CAknown" }]))?.sid, "CAours");
  assert.equal(await found([ours, { ...ours, sid: "CAother" }]), undefined);
});

test("no older call, no ended one and none that another program dialled is taken for it", async () => {
  const wrong = [
    { date_created: before(20_000) },
    { date_created: undefined },
    { status: "no-answer" },
    { direction: "outbound-dial" },
    { direction: "inbound" },
  ];
  for (const fields of wrong) assert.equal(await found([{ ...ours, ...fields }]), undefined, JSON.stringify(fields));
});

test("what is older is said by Twilio's clock, where ours is another", async () => {
  const late = new Date(NOW.getTime() - 120_000);
  assert.equal((await found([{ ...ours, date_created: before(0, late) }], late.toUTCString()))?.sid, "CAours");
  const early = new Date(NOW.getTime() + 120_000);
  assert.equal(await found([{ ...ours, date_created: before(60_000, early) }], early.toUTCString()), undefined);
});

test("a transfer is asked for once, and without an answer it is not known", async () => {
  const outcomeOf = (once: TwilioApi["client"]["once"]) => over({ once }).transfer("CA1", "+3", "+1", signal);
  const answers = async (status: number) => outcomeOf(async () => ({ status, headers: {}, text: "" }));
  assert.deepEqual([await answers(200), await answers(404), await answers(503)], ["through", "refused", "unclear"]);
  const fails = (wasSent: boolean) =>
    outcomeOf(async () => {
      throw new VendorFailure("ECONNRESET", { wasSent });
    });
  assert.deepEqual([await fails(true), await fails(false)], ["unclear", "refused"]);
});
