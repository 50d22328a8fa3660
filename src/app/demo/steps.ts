import { AppError } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { createAgent } from "#operations/agents/create-agent.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import { createVoiceCampaign } from "#operations/campaigns/create-voice-campaign.ts";
import { getCampaign } from "#operations/campaigns/read-campaigns.ts";
import { addDoNotCall } from "#operations/compliance/add-do-not-call.ts";
import { createContactList } from "#operations/contacts/create-contact-list.ts";
import type { Caller, Context } from "#operations/context.ts";
import { createPhoneNumber } from "#operations/numbers/buy-phone-number.ts";
import { createBrand } from "#operations/numbers/create-brand.ts";
import { moveClock, readClock, scriptHandset } from "#operations/simulator/simulate.ts";
import {
  BRANDS,
  CONTACTS,
  NOT_TO_BE_CALLED,
  ORGANIZATIONS,
  TEXT_AGENTS,
  UNREACHABLE,
  USERS,
  VOICE_AGENTS,
} from "./data.ts";

/** Noon or 13:00 in New York, 9:00 or 10:00 in Los Angeles: open for every mainland zone, summer and winter. */
const MORNING_UTC_HOUR = 17;
const OPEN_HOURS = 2;
const IN_A_WEEK_MS = 7 * 86_400_000;

/** What the steps share. Ids are the same however often a step is run. */
export type Loading = { ctx: Context; signal: AbortSignal; as(name: string): Caller; made: Map<string, string> };
export type Step = { step: string; run(load: Loading): Promise<unknown> };

const id = ({ made }: Loading, name: string): Uuid => made.get(name)!;
const organizationOf = (load: Loading, at: number) => id(load, ORGANIZATIONS[at]!.name);
/** The first user of an organization. */
const userOf = (load: Loading, at: number) => id(load, USERS[at * 2]!.name);
const ownerOf = (load: Loading, at: number) => ({
  organization_id: publicId("organization", organizationOf(load, at)),
  user_id: publicId("user", userOf(load, at)),
});
const isThere = (load: Loading, campaignId: string): Promise<boolean> =>
  getCampaign(load.ctx, load.as("look"), campaignId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return false;
      throw error;
    },
  );
const bytesOf = (body: object): Uint8Array => Buffer.from(JSON.stringify(body));

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
  {
    step: "making organizations and users",
    async run({ ctx, as, made }) {
      for (const organization of ORGANIZATIONS)
        made.set(organization.name, (await createOrganization(ctx, as(organization.name), organization)).id);
      for (const [i, { name, permission }] of USERS.entries()) {
        const caller = as(name);
        // An address is one user's over the whole tenant.
        const email = `${name.split(" ")[0]!.toLowerCase()}.${caller.keyId.slice(-6)}@demo.example`;
        const organization = made.get(ORGANIZATIONS[Math.floor(i / 2)]!.name)!;
        made.set(name, (await createUser(ctx, caller, organization, { name, email, permission })).id);
      }
    },
  },
  {
    step: "making agents",
    async run(load) {
      const agents = [
        ...Object.entries(TEXT_AGENTS).map(([name, agent]) => ({ name, agent: { agent_type: "sms", ...agent } })),
        ...Object.entries(VOICE_AGENTS).map(([name, agent]) => ({ name, agent: { agent_type: "voice", ...agent } })),
      ];
      for (const { name, agent } of agents) {
        const at = name === "reminder" || name === "receptionist" ? 1 : 0;
        const owner = { organizationId: organizationOf(load, at), userId: userOf(load, at) };
        const stored = await createAgent(load.ctx, load.as(name), owner, agent);
        load.made.set(name, stored.id).set(`voice of ${name}`, stored.voice_agent_id ?? "");
      }
    },
  },
  {
    step: "registering brands",
    async run({ ctx, as, signal }) {
      for (const brand of BRANDS) await createBrand(ctx, as(brand.displayName), { ...brand }, signal);
    },
  },
  {
    step: "buying numbers",
    async run(load) {
      for (const [at, areaCode] of ["415", "704"].entries()) {
        const wanted = { areaCode, organizationId: organizationOf(load, at), userId: userOf(load, at) };
        const bought = await createPhoneNumber(load.ctx, load.as(`number ${areaCode}`), wanted, load.signal);
        load.made.set(`number ${at}`, bought.phone);
      }
    },
  },
  {
    step: "importing contacts",
    async run(load) {
      const lists = [
        {
          at: 0,
          list_name: "Buyers and sellers",
          contacts: [...CONTACTS.invited, ...CONTACTS.asked, ...CONTACTS.withAudio],
        },
        { at: 1, list_name: "Patients", contacts: [...CONTACTS.reminded, ...CONTACTS.read] },
      ];
      for (const { at, ...list } of lists) {
        await createContactList(load.ctx, load.as(list.list_name), {}, bytesOf({ ...list, ...ownerOf(load, at) }));
      }
      for (const { phone, reason } of NOT_TO_BE_CALLED) {
        await addDoNotCall(load.ctx, load.as(phone), phone, { organizationId: organizationOf(load, 0), reason });
      }
    },
  },
  {
    step: "starting campaigns that text",
    async run(load) {
      const texts = (at: number, agent: string) => ({
        ...ownerOf(load, at),
        sms_agent_id: publicId("agent", id(load, agent)),
        svc_sms_number: id(load, `number ${at}`),
      });
      const { now } = await readClock(load.ctx, load.as("clock"));
      const campaigns = [
        {
          ...texts(0, "inviter"),
          campaign_id: DEMO_CAMPAIGNS.finished,
          campaign_name: "Open house on Saturday",
          contacts: CONTACTS.invited,
        },
        {
          ...texts(0, "seller"),
          campaign_id: DEMO_CAMPAIGNS.running,
          campaign_name: "Spring check-in",
          contacts: CONTACTS.asked,
          enable_sms_to_voice: true,
          voice_agent_id: publicId("voiceAgent", id(load, "voice of caller")),
          outbound_number: id(load, "number 0"),
        },
        {
          ...texts(1, "reminder"),
          campaign_id: DEMO_CAMPAIGNS.scheduled,
          campaign_name: "Check-ups in summer",
          contacts: CONTACTS.reminded,
          campaign_begin_time: new Date(now.getTime() + IN_A_WEEK_MS).toISOString(),
        },
      ];
      for (const campaign of campaigns) {
        // A step that is run again is so at a later time, and would ask for another begin.
        if (await isThere(load, campaign.campaign_id)) continue;
        await createCampaign(load.ctx, load.as(campaign.campaign_id), {}, bytesOf(campaign));
      }
    },
  },
  {
    step: "starting campaigns that call",
    async run(load) {
      await scriptHandset(load.ctx, load.as("handset"), UNREACHABLE, { behavior: "unreachable" });
      const calls = (at: number, agent: string) => ({
        ...ownerOf(load, at),
        voice_agent_id: publicId("voiceAgent", id(load, `voice of ${agent}`)),
        agent_outbound_number: id(load, `number ${at}`),
        redial_enabled: true,
        // The shortest delay there is, so that a redial can be watched.
        redial_config: { max_attempts: 2, retry_delay_minutes: 1 },
      });
      const campaigns = [
        {
          ...calls(0, "caller"),
          campaign_id: DEMO_CAMPAIGNS.calls,
          campaign_name: "Spring calls",
          leads: CONTACTS.withAudio,
          // What the offline speech-to-text can transcribe on a machine of two cores.
          max_concurrent_calls: 3,
        },
        {
          ...calls(1, "receptionist"),
          campaign_id: DEMO_CAMPAIGNS.survey,
          campaign_name: "Check-up reminders by phone",
          leads: CONTACTS.read,
        },
      ];
      for (const campaign of campaigns) {
        await createVoiceCampaign(load.ctx, load.as(campaign.campaign_id), {}, bytesOf(campaign));
      }
    },
  },
];

/** The campaigns' own ids. */
export const DEMO_CAMPAIGNS = {
  finished: "demo_open_house",
  running: "demo_spring",
  scheduled: "demo_summer",
  calls: "demo_spring_calls",
  survey: "demo_check_ups",
} as const;

/** This moment where a weekday's calling hours have just begun in the east and west, else the next such. */
function nextOpen(now: Date): Date {
  const isWeekday = (at: Date) => at.getUTCDay() >= 1 && at.getUTCDay() <= 5;
  const hours = now.getUTCHours() - MORNING_UTC_HOUR;
  if (isWeekday(now) && hours >= 0 && hours < OPEN_HOURS) return now;
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), MORNING_UTC_HOUR));
  while (at <= now || !isWeekday(at)) at.setUTCDate(at.getUTCDate() + 1);
  return at;
}
