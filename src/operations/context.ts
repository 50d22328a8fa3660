import type { Role } from "#contract/accounts/roles.ts";
import type { Pending } from "#domain/accounts/factor.ts";
import type { SessionTimes } from "#domain/accounts/session.ts";
import type { CallPrices } from "#domain/calls/cost.ts";
import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import type { TextPrices } from "#domain/messaging/price.ts";
import type { NumberPlan } from "#domain/phones/number-plan.ts";
import type { ServiceRetention } from "#domain/system/retention.ts";
import type { WatchedTask } from "#domain/system/watched-task.ts";
import { failedField, failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallLine, CallLines } from "#ports/call-line.ts";
import type { CallNodes } from "#ports/call-streams.ts";
import type { HandsetNetwork } from "#ports/handset-network.ts";
import type { CampaignRequest, Journal } from "#ports/journal.ts";
import type { LanguageModels } from "#ports/language-model.ts";
import type { NumberInventories } from "#ports/number-inventory.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { PublicAddress } from "#ports/public-address.ts";
import type { ReassignedNumbers } from "#ports/reassigned-numbers.ts";
import type { Registry } from "#ports/registry.ts";
import type { ScriptReader } from "#ports/script-reader.ts";
import type { IdentityProviders, Passkeys, Passwords, TimedCodes } from "#ports/sign-in.ts";
import type { Voices } from "#ports/text-to-speech.ts";
import type { Uploads } from "#ports/uploads.ts";
import { type AuditedRequest, type AuditTrail, auditTrail } from "#store/accounts/audit-trail.ts";
import { inMode, otherMode } from "#store/accounts/tenants.ts";
import { type Db, isDatabaseAway, type Tx } from "#store/database/db.ts";
import type { ReadReplica } from "#store/database/replica.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import type { SealingKeys } from "#store/system/sealing.ts";
import { type Carriers, callerLine } from "./carriers.ts";
import type { ProcessState } from "./process-state.ts";

/** What every operation works with. Made once by app/context.ts; time, chance and the outside come in through it. */
export type Context = {
  /** Limited to the caller's organizations where the caller is: what belongs to others is not visible. */
  db: Db;
  /**
   * The whole tenant's data, whoever the caller is: for what has to count beyond the caller's organizations, as an opt-out does. What is found
   * through it must not be returned to the caller.
   */
  tenantDb: Db;
  /** A server that follows the database's; undefined: there is none. */
  replica?: ReadReplica | undefined;
  /** Real time. A tenant's own time may be ahead of it: see store/accounts/tenants.ts. */
  now(): Date;
  /** A new UUIDv7, greater than every one before it from this process. */
  newId(): Uuid;
  /** HMAC-SHA256 under the server's pepper: how API keys are stored. 32 bytes. */
  digest(text: string): Buffer;
  /** A phone of a tenant as a keyed hash, 32 bytes: how the numbers of erased persons are kept. */
  hashPhone(tenantId: Uuid, phone: string): Buffer;
  /** What a link is signed with that opens without an API key, 32 bytes. */
  signLink(text: string): Buffer;
  /** What secrets are sealed under that have to be read again: store/system/sealing.ts. */
  sealingKeys: SealingKeys;
  passwords: Passwords;
  sessionTimes: SessionTimes;
  timedCodes: TimedCodes;
  passkeys: Passkeys;
  identityProviders: IdentityProviders;
  numberPlan: NumberPlan;
  callingWindows: CallingWindows;
  profile: "strict" | "federal";
  /** Whether a tenant's moved clock counts for live carriers too: for tests against real peers. */
  clockMovesLive: boolean;
  textPrices: TextPrices;
  /** Dollars for looking up a phone's line type. */
  pricePerLookup: string;
  callPrices: CallPrices;
  /** Campaign texts that a sender new with its carrier may send in its first hour; 0: any number. */
  firstHourTexts: number;
  carriers: Carriers;
  /** Where carriers reach this service: their webhooks go to `/carrier/{carrier_id}/...` on it. Undefined: nothing can come in. */
  publicUrl: string | undefined;
  /** Tries that address out. */
  publicAddress: PublicAddress;
  lines: CallLines;
  models: LanguageModels;
  script: ScriptReader;
  /** For samples, and to say which voice speaks; calls have their own, on media nodes. */
  voice: Voices;
  registry: Registry;
  /** Queried before the first text to a number; undefined when none is configured. */
  reassignedNumbers: ReassignedNumbers | undefined;
  handsets: HandsetNetwork;
  /** The nodes that hold calls, for what carriers bring of them. */
  callNodes: CallNodes;
  /** Of this node: a file is on the node that received it. */
  uploads: Uploads;
  /** Recordings of calls. */
  objects: ObjectStore;
  /** For how long the service itself keeps what a tenant can have removed sooner. */
  kept: ServiceRetention;
  numbers: NumberInventories;
  journal: Journal;
  node: NodeLease;
  process: ProcessState;
  /** Of this request: what it leaves in the audit log. Its entry is written with its first change; the operation says what that was. */
  audit: AuditTrail;
  watch: Watch;
  log: Log;
};

/** This process's place among the service's nodes. Once `alive` is false nothing more may be handed to a carrier. */
export type NodeLease = { id: Uuid; alive(): boolean };

/** Finds out which task blocked a process, and which tasks are not to be tried again. */
export type Watch = {
  /** It has blocked two processes: it is not begun again. */
  isSetAside(task: WatchedTask): boolean;
  /** Runs it under its name. A task that has blocked a process before waits for others that have. */
  run<T>(task: WatchedTask, work: () => Promise<T>): Promise<T>;
};

/** Without a watch: for tests, and for commands, which end when they are stopped. */
export const UNWATCHED: Watch = { isSetAside: () => false, run: (_, work) => work() };

export type Log = {
  info(data: Record<string, unknown>, message: string): void;
  warn(data: Record<string, unknown>, message: string): void;
  error(data: Record<string, unknown>, message: string): void;
};

/** Who makes the request: the tenant and powers behind an API key, or behind a signed-in user. */
export type Caller = {
  /** The tenant in the caller's mode: whose agents, contacts, campaigns and all the rest. */
  tenantId: Uuid;
  /** The tenant as people know it: whose keys, logins and sessions. One of its modes has the same id. */
  accountId: Uuid;
  /** Of the API key, or of the session. */
  keyId: Uuid;
  mode: "live" | "test";
  scopes: readonly string[];
  /** Those that the caller is limited to; undefined for whoever sees the whole tenant. */
  organizations: readonly Uuid[] | undefined;
  /** Addresses and networks that the key may be used from; null or undefined: anywhere. */
  allowedAddresses?: readonly string[] | null;
  /** All of them are archived. */
  isArchived?: boolean;
  /** Ids for what this request makes; the same again when the request is repeated under its Idempotency-Key. */
  newId(): Uuid;
  /** Of a session of the console; undefined for a key. */
  person?: Person;
  /** Where the change comes from, for the audit log; undefined for what is not in it. */
  audited?: AuditedRequest;
};

/** An operation whose body may hold 100,000 leads, or whose campaign may: it takes the request's bytes, and may run in a thread of its own. */
export type BulkOperation = (
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
) => Promise<Record<string, unknown>>;

/** Who is signed in to the console. */
export type Person = {
  sessionId: Uuid;
  userId: Uuid;
  permission: Role;
  /** When the session ends however much it is used. */
  lastEnd: Date;
  /** What the session still lacks; until then it opens nothing but its own completion. */
  pending: Pending | null;
  /** What it has lacked from its sign-in on; null also of a session that was whole when a factor became required. */
  begunPending: Pending | null;
  /** When its person last showed who it is; null: never since second factors are known here. */
  provedAt: Date | null;
};

/**
 * What the operations of this caller work with: of the database, what is its organizations'. Where the request is audited, what it changes in either is
 * written with its entry in the log.
 */
export function contextFor(
  ctx: Context,
  { organizations, audited }: Pick<Caller, "organizations" | "audited">,
): Context {
  const own = organizations === undefined ? ctx.db : ctx.tenantDb.limitedTo(organizations);
  if (audited === undefined) return own === ctx.db ? ctx : { ...ctx, db: own };
  const audit = auditTrail(audited, ctx);
  return { ...ctx, audit, db: audit.over(own), tenantDb: audit.over(ctx.tenantDb) };
}

/** What a list or a report reads by: the replica, as far as that has what it needs. Nothing that decides anything works so. */
export function readingContext(ctx: Context): Context {
  if (ctx.replica === undefined) return ctx;
  const db = ctx.replica.reading();
  return { ...ctx, db, tenantDb: db };
}

/** Who is signed in. 403 for an API key. */
export function personOf({ person }: Caller): Person {
  if (!person) throw failure("session_required", "This is for somebody who is signed in to the console");
  return person;
}

/** Whether a caller may make and change what both modes share: a test key may not. */
export const isOfBothModes = ({ mode, person }: Caller): boolean => mode === "live" || person !== undefined;

/** The tenant in each mode in which a caller's organizations and users are made, its own first. */
export async function modesOf(tx: Tx, caller: Caller): Promise<Uuid[]> {
  const { tenantId } = caller;
  return isOfBothModes(caller) ? [tenantId, await otherMode(tx, tenantId)] : [tenantId];
}

/**
 * Journaled before the commit: a campaign that was paused or deleted must not go on in a database that is restored to an earlier day. A journal that
 * cannot be written does not keep anybody from pausing: without a journal nothing leaves from this machine, though it does from others.
 */
export async function journalRequest(
  ctx: Context,
  tenantId: Uuid,
  campaignId: Uuid,
  wish: CampaignRequest,
): Promise<void> {
  try {
    await ctx.journal.append({ kind: "campaign", at: ctx.now().toISOString(), tenantId, campaignId, wish });
  } catch (error) {
    ctx.log.error({ err: error, campaignId, wish }, "the journal cannot be written: a restore would not know of this");
  }
}

/** Whether a tenant, by its public id, has anything real to send or call by. */
export async function isLive({ lines, tenantDb }: Context, accountId: Uuid): Promise<boolean> {
  if (lines.names("live").length > 0) return true;
  const live = await inMode(tenantDb, accountId, "live");
  return live !== undefined && carrierAccounts.isAnyConnected(tenantDb, live);
}

/** Whether somebody who is signed in may turn to live mode: also who can connect a carrier there. */
export const mayGoLive = async (ctx: Context, caller: Caller): Promise<boolean> =>
  personOf(caller).permission === "admin" || (await isLive(ctx, caller.accountId));

/** The line that the tenant's calls from a number leave by. 400 where it may not call from it; `field` has the number, and `said` says in the sentence which is meant. */
export async function lineFrom(
  ctx: Pick<Context, "lines" | "carriers" | "db">,
  caller: Pick<Caller, "tenantId" | "mode">,
  number: string,
  field: string,
  said = field,
): Promise<CallLine> {
  const by = await callerLine(ctx, ctx.db, caller, number);
  if ("problem" in by) throw failedField("voice_not_enabled", field, by.problem, said);
  return by.line;
}

/** True when the database, not the request, is at fault. For edges, which do not see the store. */
export const isAway = isDatabaseAway;
