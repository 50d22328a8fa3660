import type { Static, TObject, TSchema } from "typebox";
import type * as apiKeys from "#contract/accounts/api-keys.ts";
import type * as audit from "#contract/accounts/audit.ts";
import type * as factors from "#contract/accounts/factors.ts";
import type * as identityProviders from "#contract/accounts/identity-providers.ts";
import type * as organizations from "#contract/accounts/organizations.ts";
import type * as session from "#contract/accounts/session.ts";
import type * as users from "#contract/accounts/users.ts";
import type * as agents from "#contract/agents/agents.ts";
import type * as extractions from "#contract/agents/extractions.ts";
import type * as playground from "#contract/agents/playground.ts";
import type * as playgroundCalls from "#contract/agents/playground-calls.ts";
import type * as script from "#contract/agents/script.ts";
import type * as voices from "#contract/agents/voices.ts";
import type * as calls from "#contract/calls/calls.ts";
import type * as activity from "#contract/campaigns/activity.ts";
import type * as analytics from "#contract/campaigns/analytics.ts";
import type * as campaigns from "#contract/campaigns/campaigns.ts";
import type * as overview from "#contract/campaigns/overview.ts";
import type * as preflight from "#contract/campaigns/preflight.ts";
import type * as voiceCampaigns from "#contract/campaigns/voice-campaigns.ts";
import type * as consents from "#contract/compliance/consents.ts";
import type * as contactability from "#contract/compliance/contactability.ts";
import type * as doNotCall from "#contract/compliance/do-not-call.ts";
import type * as contactActions from "#contract/contacts/actions.ts";
import type * as contacts from "#contract/contacts/contacts.ts";
import type * as evidence from "#contract/contacts/evidence.ts";
import type * as imports from "#contract/contacts/imports.ts";
import type * as liveChecks from "#contract/messaging/live-checks.ts";
import type * as messages from "#contract/messaging/messages.ts";
import type * as sending from "#contract/messaging/sending.ts";
import type * as threads from "#contract/messaging/threads.ts";
import type * as areaCodes from "#contract/numbers/area-codes.ts";
import type * as brands from "#contract/numbers/brands.ts";
import type * as carriers from "#contract/numbers/carriers.ts";
import type * as numberLookups from "#contract/numbers/lookups.ts";
import type * as phoneNumbers from "#contract/numbers/phone-numbers.ts";
import type * as tenDlcCampaigns from "#contract/numbers/ten-dlc-campaigns.ts";
import type * as tollFree from "#contract/numbers/toll-free.ts";
import type * as demo from "#contract/simulator/demo.ts";
import type * as simulator from "#contract/simulator/simulator.ts";
import type * as simulatorSound from "#contract/simulator/sound.ts";
import type * as events from "#contract/system/events.ts";
import type * as requests from "#contract/system/requests.ts";
import type * as retention from "#contract/system/retention.ts";
import type * as system from "#contract/system/system.ts";

/** Every file of the contract that has operations. A new one is named here once, and all its operations can be asked. */
type Contract =
  | Exports<typeof activity>
  | Exports<typeof agents>
  | Exports<typeof analytics>
  | Exports<typeof apiKeys>
  | Exports<typeof audit>
  | Exports<typeof areaCodes>
  | Exports<typeof brands>
  | Exports<typeof tollFree>
  | Exports<typeof calls>
  | Exports<typeof carriers>
  | Exports<typeof campaigns>
  | Exports<typeof carriers>
  | Exports<typeof consents>
  | Exports<typeof contactability>
  | Exports<typeof contactActions>
  | Exports<typeof contacts>
  | Exports<typeof evidence>
  | Exports<typeof demo>
  | Exports<typeof doNotCall>
  | Exports<typeof events>
  | Exports<typeof extractions>
  | Exports<typeof imports>
  | Exports<typeof liveChecks>
  | Exports<typeof factors>
  | Exports<typeof identityProviders>
  | Exports<typeof organizations>
  | Exports<typeof overview>
  | Exports<typeof numberLookups>
  | Exports<typeof phoneNumbers>
  | Exports<typeof playground>
  | Exports<typeof playgroundCalls>
  | Exports<typeof preflight>
  | Exports<typeof requests>
  | Exports<typeof retention>
  | Exports<typeof script>
  | Exports<typeof sending>
  | Exports<typeof session>
  | Exports<typeof simulator>
  | Exports<typeof simulatorSound>
  | Exports<typeof system>
  | Exports<typeof tenDlcCampaigns>
  | Exports<typeof messages>
  | Exports<typeof threads>
  | Exports<typeof users>
  | Exports<typeof voiceCampaigns>
  | Exports<typeof voices>;

type Exports<Module> = Module[keyof Module];
type AnyOperation = Extract<Contract, { readonly method: string; readonly path: string; readonly response: TObject }>;
type ByKey = { [O in AnyOperation as `${O["method"]} ${O["path"]}`]: O };

/** An operation, by its method and path as the contract writes them: `GET /v1/campaigns/:campaign_id`. */
export type Key = keyof ByKey;
export type GetKey = Extract<Key, `GET ${string}`>;
export type WriteKey = Exclude<Key, GetKey>;

type Part<K extends Key, Name extends "params" | "query" | "body"> = NonNullable<ByKey[K][Name]>;
type Said<S> = S extends TSchema ? Static<S> : never;

/** An operation without this part has the widest of its types; `any` of its fields would otherwise be taken. */
type With<Name extends string, S> = TObject extends S
  ? unknown
  : TSchema extends S
    ? unknown
    : Record<never, never> extends Said<S>
      ? { [name in Name]?: Said<S> }
      : { [name in Name]: Said<S> };

type Parts<K extends Key> = With<"params", Part<K, "params">> &
  With<"query", Part<K, "query">> &
  With<"body", Part<K, "body">>;

/** What an operation is asked with: `params` of its path, `query`, `body`. */
export type Args<K extends Key> = { [Name in keyof Parts<K>]: Parts<K>[Name] };

/** The fields of a form besides its file. */
export type FormFields<K extends Key> = Args<K> extends { body: infer B } ? Omit<B, "file"> : never;

/** Arguments that may be left out altogether when nothing in them is needed. */
export type Given<K extends Key> = Record<never, never> extends Args<K> ? [args?: Args<K>] : [args: Args<K>];

/** What it answers with, beside `success` and `powered_by`. */
export type Answer<K extends Key> = Said<ByKey[K]["response"]>;

/** Lists in pages, and the type of one of their items under its plural. */
export type ListKey = {
  [K in GetKey]: Answer<K> extends { next_pagination_key: string | null } ? K : never;
}[GetKey];

/** The name under which a list has its items. */
export type Plural<K extends ListKey> = {
  [Name in keyof Answer<K>]: Answer<K>[Name] extends readonly unknown[] ? Name : never;
}[keyof Answer<K>] &
  string;
export type Item<K extends ListKey> = Answer<K>[Plural<K>] extends readonly (infer I)[] ? I : never;
