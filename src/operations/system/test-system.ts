import { takeTurn } from "#conversation/messaging/turn.ts";
import type { SmsAgent } from "#domain/agents/agent.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";

export type SystemTest = {
  name: string | null;
  outcome: "passed" | "failed" | "not_tested";
  ms: number;
  detail: string;
};

/** A person waits for the answer in the console. */
const MODEL_WITHIN_MS = 20_000;
const CARRIER_WITHIN_MS = 10_000;

const AGENT: SmsAgent = {
  agent_type: "sms",
  agent_name: "Ava",
  prompt: "You help people who want to sell their home. Answer in one short sentence.",
  extraction_fields: [],
  drip_schedule: [],
  reply_delay_ms: 0,
  max_replies_per_day: 1,
  allowed_links: [],
};

/** Has the model answer one text as an agent would; nothing of it is kept or sent. */
export async function testModel(ctx: Context, caller: Caller): Promise<SystemTest> {
  const model = ctx.models.forMode(caller.mode);
  const now = ctx.now();
  const turn = await takeTurn(
    model,
    {
      agent: AGENT,
      organization: "Acme Homes",
      contact: { first_name: "Ann" },
      contactZone: "America/New_York",
      now,
      history: [{ id: caller.newId(), role: "contact", text: "Hi, I may want to sell my home.", at: now }],
      known: {},
      canScheduleCall: false,
      canTransferToVoice: false,
    },
    { signal: AbortSignal.timeout(MODEL_WITHIN_MS * 2), timeLimitMs: MODEL_WITHIN_MS },
  );
  const tested = { name: model.name, ms: Math.round(turn.latencyMs) };
  if (turn.failure) {
    return { ...tested, outcome: "failed", detail: `The model did not answer: ${turn.failure.vendorCode}.` };
  }
  if (turn.needsPerson) return { ...tested, outcome: "failed", detail: "The model wrote what may not be sent, twice." };
  if (turn.text === null)
    return { ...tested, outcome: "failed", detail: "The model answered, and had nothing to say." };
  return { ...tested, outcome: "passed", detail: `It answered: “${turn.text}”` };
}

/** Two numbers of the simulator that no script and no tenant uses: the text goes from one to the other. */
const [FROM, TO] = ["+12125550198", "+12125550199"] as const;

/** Has the simulated carrier take a text. In live mode nothing is sent, and the configuration is reported. */
export async function testCarrier(ctx: Context, caller: Caller): Promise<SystemTest> {
  if (caller.mode === "live") return { ...(await liveTest(ctx, caller)), ms: 0 };
  const { simulator: carrier } = ctx.carriers;
  const started = performance.now();
  const text = {
    ref: caller.newId(),
    to: TO,
    text: "A test of the simulated carrier.",
    purpose: "human",
    campaign: "",
    step: 0,
    zones: [],
    validUntil: null,
  } as const;
  const batch = { tenantId: caller.tenantId, sender: FROM, now: ctx.now(), texts: [text], mayLeave: () => true };
  const [sent] = await carrier.send(batch, AbortSignal.timeout(CARRIER_WITHIN_MS));
  const tested = { name: carrier.name, ms: Math.round(performance.now() - started) };
  if (sent?.outcome === "accepted") {
    return { ...tested, outcome: "passed", detail: `It took a text to the simulated phone ${TO}.` };
  }
  return { ...tested, outcome: "failed", detail: `It did not take the text: ${sent?.outcome}, ${sent?.code}.` };
}

async function liveTest(ctx: Context, { tenantId }: Caller): Promise<Omit<SystemTest, "ms">> {
  const name = (await carrierAccounts.connected(ctx.tenantDb, tenantId)) ?? ctx.lines.names("live")[0];
  if (name === undefined) {
    return {
      name: null,
      outcome: "failed",
      detail: "No carrier for real phones is connected: see docs/carriers/README.md.",
    };
  }
  const detail = `${name} is connected. Nothing was sent: the check of the carrier's own page says whether it answers.`;
  return { name, outcome: "not_tested", detail };
}
