import { AppError } from "#domain/values/errors.ts";
import { addLeads } from "#operations/campaigns/add-leads.ts";
import { deleteCampaign, pauseCampaign, resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import type { Caller, Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { type Event, MOMENTS, WORDS } from "./plan.ts";
import type { World } from "./world.ts";

export const SENDER = "+12125550100";
/** A client whose server has died asks the next one after this. */
const ASK_AGAIN_MS = 2_000;

/** The tenant's owner and what it works with, made before the run begins. */
export type Owner = { organizationId: string; userId: string; agentId: string; caller: Caller };

type Request = Exclude<Event, { kind: "text" }>;

/** Whoever uses the service: the tenant by the API, the contacts by text. */
export class People {
  owner: Owner | undefined;
  private readonly world: World;
  private events: Event[];
  private nextAt = 0;
  private chats = 0;
  private texts = 0;
  private lastSaidAt = 0;
  /** Requests about a campaign, the first of them on its way: the tenant waits for one before it makes another. */
  private readonly requests = new Map<string, Request[]>();

  constructor(world: World) {
    this.world = world;
    this.events = [...world.plan.events];
  }

  hasPlans(): boolean {
    return this.events.length > 0;
  }

  /** What they do at this step, if it is time: `executed` are the statements that this step has run or committed. */
  actAt(step: number, executed: ReadonlySet<string>): void {
    for (let event = this.events[0]; event && step >= this.nextAt; event = this.events[0]) {
      const moment = MOMENTS[event.at];
      if (moment !== undefined && !executed.has(moment)) return;
      this.actNow();
    }
  }

  /** The next thing that they mean to do. */
  actNow(): void {
    const event = this.events.shift()!;
    this.nextAt = this.world.scheduler.steps + (this.events[0]?.gap ?? 0);
    if (event.kind === "text") this.text(event);
    else this.ask(event);
  }

  /** In the end nothing is left paused. */
  resumeAll(): void {
    for (const campaign of ["a", "b"]) this.ask({ gap: 0, at: "any", kind: "resume", campaign });
  }

  private text({ phone, word, onTheWayMs, copies }: Event & { kind: "text" }): void {
    const number = word === "chat" ? ++this.chats : 0;
    const text = number > 0 ? `${WORDS.chat} ${number}` : WORDS[word];
    const carrierId = `in_${++this.texts}`;
    // No two are of one moment.
    this.lastSaidAt = Math.max(this.lastSaidAt + 1, this.world.wallClock().getTime());
    const sentAt = new Date(this.lastSaidAt);
    const inbound = { carrier: "simulator", carrierId, from: phone, to: SENDER, text, sentAt };
    const { witness } = this.world;
    this.world.scheduler.trace(phone, `says "${text}"`);
    const acknowledged = () => witness.acknowledged({ carrierId, phone, word, number, sentAt });
    const work = (ctx: Context) => receiveMessage(ctx, this.world.base.tenantId, inbound);
    for (let copy = 0; copy < copies; copy++) {
      const ms = onTheWayMs + copy * 700;
      this.world.later(ms, `"${text}" of ${phone} comes`, () => this.world.bring(`"${text}"`, work, acknowledged));
    }
  }

  private ask(event: Request): void {
    const waiting = this.requests.get(event.campaign) ?? [];
    this.requests.set(event.campaign, waiting);
    if (waiting.push(event) === 1) this.send(event);
  }

  private send(event: Request): void {
    const { campaign } = event;
    const { scheduler, witness } = this.world;
    scheduler.trace("tenant", `asks to ${event.kind} ${campaign}`);
    if (event.kind === "resume") witness.mayGoOn(campaign);
    if (event.kind === "delete") witness.doomed.add(campaign);
    // The answer after the server's death is about the request that it repeats.
    const body = this.bodyOf(event);
    let isDone = false;
    const attempt = () => {
      const process = this.world.anyProcess("api");
      if (!process) {
        this.world.later(ASK_AGAIN_MS, `${event.kind} once more`, attempt);
        return;
      }
      process.onDeath(() => {
        if (!isDone) this.world.later(ASK_AGAIN_MS, `${event.kind} once more`, attempt);
      });
      const done = (error?: unknown) => {
        isDone = true;
        const stops = event.kind === "pause" || event.kind === "delete" ? event.kind : undefined;
        if (error === undefined && stops) witness.mustStop(campaign, stops);
        // A campaign may have been deleted or completed before.
        const isTold = error instanceof AppError && (error.code === "not_found" || error.code === "conflict");
        if (error !== undefined && !isTold) process.failed(event.kind, error);
        const waiting = this.requests.get(campaign)!;
        waiting.shift();
        if (waiting[0]) this.send(waiting[0]);
      };
      const work = () => this.operation(process.ctx, event, body);
      scheduler.spawn(process, event.kind, work).then(() => done(), done);
    };
    attempt();
  }

  private bodyOf(event: Request): Uint8Array {
    if (event.kind !== "create" && event.kind !== "leads") return new Uint8Array();
    const { organizationId, userId, agentId } = this.owner!;
    const contacts = event.phones.map((phone_number) => ({ phone_number, first_name: "Ann" }));
    const ends = event.endsAfterMs && new Date(this.world.wallClock().getTime() + event.endsAfterMs).toISOString();
    const campaign = {
      campaign_id: event.campaign,
      campaign_name: event.campaign,
      organization_id: organizationId,
      user_id: userId,
      sms_agent_id: agentId,
      svc_sms_number: SENDER,
      contacts,
      ...(ends ? { campaign_end_time: ends } : {}),
    };
    return Buffer.from(JSON.stringify(event.kind === "create" ? campaign : { clients: contacts }));
  }

  private async operation(
    ctx: Context,
    { kind, campaign }: Event & { campaign: string },
    body: Uint8Array,
  ): Promise<void> {
    const { caller } = this.owner!;
    if (kind === "create") await createCampaign(ctx, caller, {}, body);
    else if (kind === "leads") await addLeads(ctx, caller, { campaign_id: campaign }, body);
    else if (kind === "pause") await pauseCampaign(ctx, caller, campaign);
    else if (kind === "resume") await resumeCampaign(ctx, caller, campaign);
    else await deleteCampaign(ctx, caller, campaign);
  }
}
