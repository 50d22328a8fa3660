import type { Mutant } from "./mutant.ts";

const GATE = "src/domain/compliance/gate.ts";
const STOPS = "test/integration/compliance/stops-and-pauses.test.ts";

/** Who said STOP, and what is paused, gets nothing more. */
export const OF_STOPS: readonly Mutant[] = [
  {
    id: "gate-opted-out",
    breaks: "the gate does not look at opt-outs",
    file: GATE,
    from: 'if (consent.optedOutAt !== null && purpose !== "help") return OPTED_OUT;',
    to: "",
    suites: ["src/domain/compliance/gate.test.ts", STOPS],
  },
  {
    id: "gate-do-not-call",
    breaks: "the gate does not look at do-not-call lists",
    file: GATE,
    from: "if (consent.doNotCall) return DO_NOT_CALL;",
    to: "",
    suites: ["src/domain/compliance/gate.test.ts", "test/acceptance/compliance/opt-out.test.ts"],
  },
  {
    id: "gate-paused",
    breaks: "a paused campaign goes on",
    file: GATE,
    from: 'if (campaign.status === "paused" && purpose !== "human") return CAMPAIGN_PAUSED;',
    to: "",
    suites: ["src/domain/compliance/gate.test.ts", STOPS],
  },
  {
    id: "claim-without-consent-lock",
    breaks: "a claim reads consents and does not hold them: a STOP may commit between",
    file: "src/store/sending/claims.ts",
    from: "     for no key update skip locked)\n   select phone, opted_out_at",
    to: "     )\n   select phone, opted_out_at",
    suites: [STOPS, "test/integration/compliance/attempt-caps.test.ts"],
  },
  {
    id: "stop-without-wait",
    breaks: "a STOP is answered before the text that is on its way has left",
    file: "src/operations/messaging/receive-message.ts",
    from: "  if (phones.length > 0) await optOuts.handedOver(ctx.db, tenantId, phones, ctx);\n",
    to: "",
    suites: [STOPS],
  },
  {
    id: "stop-takes-all-for-old",
    breaks: "a STOP takes a text that is on its way for one that cannot leave any more",
    file: "src/store/compliance/opt-outs.ts",
    from: "const MAY_LEAVE_MS = 60_000;",
    to: "const MAY_LEAVE_MS = -60_000;",
    suites: [STOPS],
  },
  {
    id: "do-not-call-without-wait",
    breaks: "an entry in the do-not-call list is answered before the text that is on its way has left",
    file: "src/operations/compliance/add-do-not-call.ts",
    from: "await optOuts.handedOver(ctx.tenantDb, caller.tenantId, [normal.phone], ctx);",
    to: "",
    suites: [STOPS],
  },
  {
    id: "pause-without-wait",
    breaks: "a pause answers while claimed texts still leave",
    file: "src/store/messaging/in-flight.ts",
    from: "const left = await untilNone(() => attempts.inFlightOf(db, tenantId, campaignId));",
    to: "const left = await attempts.inFlightOf(db, tenantId, campaignId);",
    suites: [STOPS],
  },
];
