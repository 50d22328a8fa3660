import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallLine } from "./call-line.ts";
import type { BroughtAnswer, BroughtCall, CallNews } from "./call-streams.ts";
import type { CarrierSession } from "./carrier-session.ts";
import type { NumberInventory } from "./number-inventory.ts";
import type { NumberLookup } from "./number-lookup.ts";
import type { Registry } from "./registry.ts";
import type { DeliveryReceipt, InboundText, SmsCarrier } from "./sms-carrier.ts";

/** A tenant's account with a carrier, its credentials opened. They are in memory alone: never logged, never answered. */
export type CarrierAccount = {
  id: Uuid;
  /** A tenant in live mode: a test key's requests have no tenant of this type, and so no account. */
  tenantId: LiveTenantId;
  /** The public id, as lanes, attempts and numbers store it in `carrier`. */
  carrier: string;
  kind: CarrierKind;
  credentials: Readonly<Record<string, string>>;
  settings: Readonly<Record<string, unknown>>;
  /** Rises with each change of credentials or settings: an opened carrier is good for one revision. */
  revision: number;
};

/** One kind of carrier: what an account of it needs, and how it is opened. Registered in app/, by kind. */
export interface CarrierDriver {
  readonly kind: CarrierKind;
  /** What makes an account the one that it is: what left by it is looked up in it alone, so these stay, and another is an account of its own. */
  readonly identity: readonly AccountField[];
  /** Settings that say where its texts are kept: they change only while none is on its way or in doubt. */
  readonly places: readonly AccountField[];
  /** Its texts go over a session, which one process has to hold for each connected account. */
  readonly hasSession?: true;
  /** What is wrong with credentials and settings, as far as can be said without calling the carrier. Empty: nothing. */
  problems(account: Pick<CarrierAccount, "credentials" | "settings">): FieldProblem[];
  open(account: CarrierAccount): OpenCarrier;
}

/** Where the host of a vendor is reached: its own address over https, unless the operator has set another (PARLEY_CARRIER_HOSTS). */
export type CarrierHosts = (host: string) => string;

/** Of an account's credentials or settings, by its whole name. */
export type AccountField = `credentials.${string}` | `settings.${string}`;

/** A field such as `credentials.auth_token` or `settings.port`, and what it must be, in the words of an answer's 400. */
export type FieldProblem = { field: string; problem: string };

/**
 * An account that is in use. What a kind has not got is undefined. Opening does nothing outside; `close` ends what is held open, after what is under
 * way has its answer: an account is closed when it is opened anew with changed credentials or settings.
 */
export interface OpenCarrier {
  readonly sms?: SmsCarrier;
  readonly inventory?: NumberInventory;
  readonly registry?: Registry;
  readonly lookup?: NumberLookup;
  /** Has no room but in a process that holds calls, and there not before calls are taken. */
  readonly line?: CallLine;
  /**
   * In a process that holds calls: takes the account's calls to these numbers, and is registered where that is asked for, until it is given nothing,
   * or closed. Safe to repeat, with others. Fails where no port can be had.
   */
  takeCalls?(taking: CallTaking | undefined): Promise<void>;
  /** While it takes calls and is registered for them: registers at once, not when it is due. */
  registerAnew?(): void;
  /** For a kind whose texts go over a connection that one process alone has. */
  readonly session?: CarrierSession;
  /** The account's numbers. Throws a `CarrierProblem` when they cannot be read. */
  numbers(signal: AbortSignal): Promise<CarrierNumber[]>;
  /** What has to change at the carrier for its texts and calls to come to us, and what is missing. Changes nothing. */
  preview(urls: CarrierUrls, signal: AbortSignal): Promise<SetUp>;
  /**
   * Makes the changes of a preview. A webhook that points elsewhere is left as it is unless `replace`. Safe to repeat. Throws a
   * `CarrierProblem`.
   */
  apply(urls: CarrierUrls, options: { replace: boolean }, signal: AbortSignal): Promise<SetUp>;
  /** The doctor: each check with its result. Never throws. `to` is a number to place one test call to, where the kind can. */
  check(urls: CarrierUrls, options: { to?: string }, signal: AbortSignal): Promise<CarrierCheck[]>;
  /** Reads a webhook of the carrier, after its signature; undefined when the signature is missing, stale or wrong. Throws `invalidRequest` for what cannot be parsed. */
  readWebhook?(request: WebhookRequest): WebhookEvents | undefined;
  /** The ticket in the first messages of a stream (ports/call-streams.ts); undefined in one that has none. */
  streamTicket?(message: string): string | undefined;
  /** A file that came with a text (`InboundMedia.url`), fetched from the carrier alone. Rejects only when `signal` aborts. Undefined: the kind has no media. */
  fetchMedia?(media: { url: string } & MediaLimits, signal: AbortSignal): Promise<MediaAnswer>;
  /** US numbers that were given up on a day (YYYY-MM-DD), E.164. Throws a `CarrierProblem`. Undefined: the kind has no such list. */
  deactivations?(day: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * The same account for another tenant, who has some of its numbers: what is sent bears that tenant's name for it, what it may send waits by turns
   * with the others', and nothing of the account itself is shown or changed. Is closed with the account. Undefined: the kind cannot be lent.
   */
  lend?(to: Borrower): OpenCarrier;
  close(): Promise<void>;
}

/** Who an account is lent to, and what it is called there. Settings of theirs take the place of the account's own (docs/carriers/shared.md). */
export type Borrower = Pick<CarrierAccount, "tenantId" | "carrier" | "settings">;

/** What a lent account does not do: it is for who lends it. */
export const LENT: Pick<OpenCarrier, "numbers" | "preview" | "apply" | "check" | "close"> = {
  numbers: () => Promise.reject(notTheirs()),
  preview: () => Promise.reject(notTheirs()),
  apply: () => Promise.reject(notTheirs()),
  check: async () => [failedCheck("credentials", notTheirs())],
  close: async () => {},
};

export type CallTaking = {
  numbers: readonly string[];
  /** The carrier refuses the registration, with a status and its words. */
  refused(status: number, text: string): void;
  /** Why no call can be placed or taken now, as a sentence without its end; undefined when one can. Calls wait meanwhile. */
  problem(sentence: string | undefined): void;
};

export type MediaLimits = { maxBytes: number; withinMs: number };

/** `problem` is a sentence without its end; `again`: it may be there later. */
export type MediaAnswer =
  | { outcome: "fetched"; contentType: string | undefined; bytes: Uint8Array }
  | { outcome: "failed"; problem: string; again: boolean };

/** One number of an account. Webhooks as they are at the carrier now; null where none is set. */
export type CarrierNumber = {
  /** E.164; a short code or an alphanumeric sender as it is. */
  phone: string;
  capabilities: { sms: boolean; mms: boolean; voice: boolean };
  /** The carrier's own id of it, where it has one. */
  carrierId: string | null;
};

/** Where the carrier reaches us: `https://parley.example/carrier/carrier_01...`, without a slash at its end. Undefined: no PARLEY_PUBLIC_URL is set. */
export type CarrierUrls = { base: string | undefined };

export type SetUp = {
  /** In words: what of the account changes, from what to what. */
  changes: SetUpChange[];
  /** In words: what somebody has to do before texts or calls work (no public address, no 10DLC registration). */
  missing: string[];
};

/** `foreign`: it points to somebody else's address, and is replaced only when that is asked for. */
export type SetUpChange = { what: string; from: string | null; to: string; foreign: boolean };

/** The one named `credentials` is whether the carrier takes them: new ones for which it fails are not taken over. */
export type CarrierCheck = {
  name: string;
  ok: boolean;
  problem: string | null;
  remedy: string | null;
  /** What a failed one says of the whole account: the carrier takes its keys no more, or does not serve it. Undefined: it goes on. */
  account?: "refused" | "suspended";
  /** What went over the wire, a line a message, with nothing secret in it: of kinds that have such a thing. */
  ladder?: readonly string[];
};

/** A request of the carrier to `/carrier/{carrier_id}/{path}`. */
export type WebhookRequest = {
  /** Behind `/carrier/{carrier_id}/`, without a query, such as `sms` or `status/{ref}`. */
  path: string;
  /** The whole public address as the carrier has it, with the query as it came: what is signed. */
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
  /** Real time. */
  now: Date;
};

/** What a webhook brings: committed before it is answered with `answer`. */
export type WebhookEvents = {
  receipts: readonly DeliveryReceipt[];
  inbound: readonly InboundText[];
  /** Something of the account's brands or 10DLC campaigns has changed: the registry is to be asked. */
  isRegistry?: true;
  /** What the carrier says of a call of ours, for the node that holds it. */
  callNews?: CallNews;
  /** A call to one of the account's numbers, and the answer that the carrier gets once a node has taken it, or none has. `carrier`: what whose call it is calls the account. */
  brought?: {
    call: BroughtCall;
    answered(answer: BroughtAnswer | undefined, carrier: string): WebhookEvents["answer"];
  };
  answer: { status: number; type: string; body: string };
};

/** The carrier did not do what it was asked: `problem` and `remedy` are sentences for who set the account up. */
export class CarrierProblem extends Error {
  readonly code: string;
  readonly remedy: string | null;
  /** The whole account is in trouble, not this one request: its credentials are refused, or the carrier does not serve it. */
  readonly account: "refused" | "suspended" | undefined;
  /** It may have been done all the same, or is under way: it is not asked for anew under another name. */
  readonly isUndecided: boolean;
  /** The carrier may have got the request, though its answer never came: what it charges for it may have charged. */
  readonly isUnanswered: boolean;

  constructor(
    message: string,
    facts: {
      code: string;
      remedy?: string;
      account?: "refused" | "suspended" | undefined;
      isUndecided?: boolean;
      isUnanswered?: boolean;
    },
  ) {
    super(message);
    this.name = "CarrierProblem";
    this.code = facts.code;
    this.remedy = facts.remedy ?? null;
    this.account = facts.account;
    this.isUndecided = facts.isUndecided ?? false;
    this.isUnanswered = facts.isUnanswered ?? false;
  }
}

/** The check that this has ended. */
export const failedCheck = (name: string, { message, remedy, account }: CarrierProblem): CarrierCheck => ({
  ...{ name, ok: false, problem: message, remedy },
  ...(account ? { account } : {}),
});

const notTheirs = () =>
  new CarrierProblem("The account is of who runs this service", { code: "lent", remedy: "Ask them." });
