import { AppError } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import { createVoiceCampaign } from "#operations/campaigns/create-voice-campaign.ts";
import { getCampaign } from "#operations/campaigns/read-campaigns.ts";
import type { Caller, Context } from "#operations/context.ts";
import { createBrand } from "#operations/registration/create-brand.ts";
import { moveClock, readClock } from "#operations/simulator/simulate.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";
import { BRANDS, CALLED, DEMO_CAMPAIGNS } from "./data.ts";
import type { Header } from "./file.ts";
import { idIn, loadHistory } from "./history.ts";

/** Noon or 13:00 in New York, 9:00 or 10:00 in Los Angeles: open for every mainland zone, summer and winter. */
const MORNING_UTC_HOUR = 17;
const OPEN_HOURS = 2;
const LAST_ID: Uuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** What the steps share. Ids are the same however often a step is run. */
export type Loading = {
  ctx: Context;
  signal: AbortSignal;
  as(name: string): Caller;
  tenantId: Uuid;
  seed: Uuid;
  header: Header;
};
export type Step = { step: string; run(load: Loading): Promise<unknown> };

const bytesOf = (body: object): Uint8Array => Buffer.from(JSON.stringify(body));

/** The first organization with its first user, its number, and an agent by channel and name. */
async function seller({ ctx, tenantId, seed, header }: Loading) {
  const organizationId = idIn(header, seed, header.organizations[0]!);
  // The list has the numbers that all organizations share, too.
  const found = await numbers.list(ctx.db, tenantId, organizationId, { before: LAST_ID, limit: 500 });
  const number = found.find((one) => one.organization_id === organizationId);
  return {
    number: number!.phone,
    owner: {
      organization_id: publicId("organization", organizationId),
      user_id: publicId("user", idIn(header, seed, header.users[0]!)),
    },
    agent: (name: string): Uuid => idIn(header, seed, header.agents[name]!),
  };
}

const isThere = ({ ctx, as }: Loading, campaignId: string): Promise<boolean> =>
  getCampaign(ctx, as("look"), campaignId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return false;
      throw error;
    },
  );

/** In their order. Each makes the same again when it is run again. */
export const STEPS: readonly Step[] = [
  {
    step: "moving the clock to calling hours",
    async run({ ctx, as }) {
      const { now } = await readClock(ctx, as("clock"));
      const to = nextOpen(now);
      if (to > now) await moveClock(ctx, as("clock"), { to: to.toISOString() });
    },
  },
  { step: "loading three weeks of history", run: ({ ctx, ...load }) => loadHistory(ctx, load) },
  {
    step: "registering brands",
    async run({ ctx, as, signal }) {
      for (const brand of BRANDS) await createBrand(ctx, as(brand.displayName), { ...brand }, undefined, signal);
    },
  },
  {
    step: "starting a campaign that texts",
    async run(load) {
      const { owner, number, agent } = await seller(load);
      if (await isThere(load, DEMO_CAMPAIGNS.running)) return;
      await createCampaign(
        load.ctx,
        load.as(DEMO_CAMPAIGNS.running),
        {},
        bytesOf({
          ...owner,
          campaign_id: DEMO_CAMPAIGNS.running,
          campaign_name: "Sellers near Lake View Road",
          sms_agent_id: publicId("agent", agent("sms Sunny")),
          svc_sms_number: number,
          contacts: load.header.visitors.slice(CALLED),
        }),
      );
    },
  },
  {
    step: "starting calls with sound",
    async run(load) {
      const { owner, number, agent } = await seller(load);
      await createVoiceCampaign(
        load.ctx,
        load.as(DEMO_CAMPAIGNS.runningCalls),
        {},
        bytesOf({
          ...owner,
          campaign_id: DEMO_CAMPAIGNS.runningCalls,
          campaign_name: "Calls to visitors",
          voice_agent_id: publicId("voiceAgent", agent("voice Sunny")),
          agent_outbound_number: number,
          leads: load.header.visitors.slice(0, CALLED),
          // What the offline speech-to-text can transcribe on a machine of two cores.
          max_concurrent_calls: 3,
        }),
      );
    },
  },
];
/** This moment where a weekday's calling hours have just begun in the east and west, else the next such. */
function nextOpen(now: Date): Date {
  const isWeekday = (at: Date) => at.getUTCDay() >= 1 && at.getUTCDay() <= 5;
  const hours = now.getUTCHours() - MORNING_UTC_HOUR;
  if (isWeekday(now) && hours >= 0 && hours < OPEN_HOURS) return now;
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), MORNING_UTC_HOUR));
  while (at <= now || !isWeekday(at)) at.setUTCDate(at.getUTCDate() + 1);
  return at;
}
