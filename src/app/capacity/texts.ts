import { setTimeout as pause } from "node:timers/promises";
import { workingNoon } from "#domain/compliance/holiday.ts";
import type { Counted, Measured } from "./costs.ts";
import { leadsOf } from "./people.ts";
import type { ScratchService } from "./scratch-service.ts";

/** The senders that text at once, each a lane of its own: one lane alone is a batch after the other. */
const LANES = 4;
/** Texts of the first round, which compiles the program and warms the caches, and shows how large the second has to be. */
const FIRST_ROUND = 4_000;
/** The second round takes at least as many, whatever the first one showed; more would measure nothing else, and fill the disk. */
const MOST_TEXTS = 400_000;
/** Leads of a request. */
const PIECE = 10_000;
const LOOK_EVERY_MS = 100;
const HOUR_MS = 3_600_000;

export type RateParts = {
  service: ScratchService;
  /** About so long; the first round comes on top. */
  seconds: number;
  counted: Counted;
  signal: AbortSignal;
  /** In a first round, where fewer than usual. */
  first?: number;
};

/**
 * Texts a second from the moment at which they are due until the carrier's answer to the last is stored: claimed, judged by the gate, written to the
 * journal, handed over and settled, by one worker over the simulated carrier, receipts included. The second of two rounds counts.
 */
export async function measureTexts(parts: RateParts): Promise<Measured> {
  const { service, seconds, first = FIRST_ROUND } = parts;
  const { now } = await service.get("/v1/simulator/clock");
  const noon = workingNoon(new Date(now));
  await service.post("/v1/simulator/clock", { to: noon.toISOString() });
  const owner = await anOwner(service);
  const { agent_id: agent } = await service.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hi {{first_name}}, this is Ava. Do you have a minute?",
  });
  const at = (hours: number) => new Date(noon.getTime() + hours * HOUR_MS);
  const round = (count: number, from: number, beginAt: Date) => runRound(parts, { owner, agent, count, from, beginAt });
  const warm = await round(first, 0, at(1));
  const count = Math.min(MOST_TEXTS, Math.max(first, Math.round((first / warm.seconds) * seconds)));
  return round(count, first, at(2));
}

export async function anOwner(service: ScratchService): Promise<{ organization_id: string; user_id: string }> {
  const { unique_id: organization_id } = await service.post("/v1/organizations", { name: "Acme" });
  const user = { name: "Ann", email: `ann-${organization_id}@example.com`.toLowerCase(), permission: "admin" };
  const { unique_id: user_id } = await service.post(`/v1/organizations/${organization_id}/users`, user);
  return { organization_id, user_id };
}

type Round = { owner: object; agent: string; count: number; from: number; beginAt: Date };

/** Campaigns that begin at the same time, one a lane. */
async function runRound(
  { service, counted, signal }: RateParts,
  { owner, agent, count, from, beginAt }: Round,
): Promise<Measured> {
  const campaigns: string[] = [];
  for (let lane = 0; lane < LANES; lane++) {
    const [begin, end] = [from + Math.floor((count * lane) / LANES), from + Math.floor((count * (lane + 1)) / LANES)];
    const { campaign_id: id } = await service.post("/v1/campaigns", {
      ...owner,
      campaign_name: `Capacity ${lane}`,
      sms_agent_id: agent,
      svc_sms_number: `+1212555010${lane}`,
      campaign_begin_time: beginAt.toISOString(),
      contacts: leadsOf(1, begin),
    });
    for (let next = begin + 1; next < end; next += PIECE) {
      await service.post(`/v1/campaigns/${id}/leads`, { clients: leadsOf(Math.min(PIECE, end - next), next) });
    }
    campaigns.push(id);
  }
  return counted(count, async () => {
    await service.post("/v1/simulator/clock", { to: new Date(beginAt.getTime() + 60_000).toISOString() });
    for (const id of campaigns) {
      while ((await service.get(`/v1/campaigns/${id}`)).campaign.pending_messages > 0)
        await pause(LOOK_EVERY_MS, undefined, { signal });
    }
  });
}
