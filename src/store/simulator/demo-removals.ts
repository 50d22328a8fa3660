import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

// Takes whole organizations out of a tenant, with everything that they have: for demo data alone. Whatever else holds an
// organization's rows comes before what it refers to; a table that is added later belongs in here (test/acceptance/simulator/demo.test.ts).

/** What organizations consist of, as far as rows are found by it. `phones` are those that nobody else has. */
export type DemoParts = {
  organizations: readonly Uuid[];
  brands: readonly string[];
  campaigns: readonly Uuid[];
  /** The campaigns' own ids, by which the simulated carrier knows them. */
  names: readonly string[];
  agents: readonly Uuid[];
  numbers: readonly string[];
  phones: readonly string[];
  users: readonly Uuid[];
};

const campaignsOf = statement(
  "list-demo-campaigns",
  "select id, campaign_id from campaigns where tenant_id = $1 and organization_id = any($2::uuid[])",
);
const agentsOf = statement(
  "list-demo-agents",
  "select id from agents where tenant_id = $1 and organization_id = any($2::uuid[])",
);
const numbersOf = statement(
  "list-demo-numbers",
  "select phone from phone_numbers where tenant_id = $1 and organization_id = any($2::uuid[])",
);
// Asked before their sessions go: what is whole on every server of a distributed database is not changed by what one of them has.
const usersOf = statement(
  "list-demo-users",
  "select id from users where tenant_id = $1 and organization_id = any($2::uuid[])",
);
const phonesOf = statement(
  "list-demo-phones",
  `select distinct phone from (
     select unnest(array[phone] || coalesce(former_phones, '{}')) as phone from contacts
     where tenant_id = $1 and organization_id = any($2::uuid[])
     union all
     select phone from do_not_call where tenant_id = $1 and organization_id = any($2::uuid[])) as theirs
   where not exists (
     select from contacts other where other.tenant_id = $1 and other.phone = theirs.phone and not other.organization_id = any($2::uuid[]))
     and not exists (
       select from do_not_call other where other.tenant_id = $1 and other.phone = theirs.phone and not other.organization_id = any($2::uuid[]))`,
);

/** Reads what there is to be removed. */
export async function partsOf(
  tx: Tx,
  tenantId: Uuid,
  { organizations, brands }: Pick<DemoParts, "organizations" | "brands">,
): Promise<DemoParts> {
  const key = [tenantId, organizations];
  const campaigns = await tx.rows<{ id: Uuid; campaign_id: string }>(campaignsOf, key);
  return {
    organizations,
    brands,
    campaigns: campaigns.map((campaign) => campaign.id),
    names: campaigns.map((campaign) => campaign.campaign_id),
    agents: (await tx.rows<{ id: Uuid }>(agentsOf, key)).map((row) => row.id),
    numbers: (await tx.rows<{ phone: string }>(numbersOf, key)).map((row) => row.phone),
    phones: (await tx.rows<{ phone: string }>(phonesOf, key)).map((row) => row.phone),
    users: (await tx.rows<{ id: Uuid }>(usersOf, key)).map((row) => row.id),
  };
}

const silenceTexts = changing(
  "silence-demo-texts",
  "update simulator_texts set owed = null, owed_at = null where tenant_id = $1 and number = any($2::text[]) and owed is not null",
);
const silenceCalls = changing(
  "silence-demo-calls",
  "update simulator_calls set owed_at = null where tenant_id = $1 and number = any($2::text[]) and owed_at is not null",
);

/**
 * Makes the simulated carrier deliver nothing more. In a transaction of its own: it waits for what is being delivered, which may wait for rows that a
 * larger transaction would lock.
 */
export async function silence(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<void> {
  await tx.run(silenceTexts, [tenantId, demo.numbers]);
  await tx.run(silenceCalls, [tenantId, demo.numbers]);
}

// Waits for claims, which hold the campaign.
const closeCampaigns = changing(
  "close-demo-campaigns",
  "update campaigns set status = 'deleted' where tenant_id = $1 and id = any($2::uuid[]) and status <> 'deleted'",
);
const closeDials = changing(
  "close-demo-dials",
  `update dials set due_at = null, state = 'cancelled' where tenant_id = $1 and due_at is not null
     and (campaign_id = any($2::uuid[]) or (campaign_id = '${NO_ID}' and agent_id = any($3::uuid[])))`,
);
const closeThreads = changing(
  "close-demo-threads",
  "update threads set agent_awake = false, reply_due_at = null, answer_failing_since = null, person_wanted_at = null where tenant_id = $1 and campaign_id = any($2::uuid[])",
);
const closeCalls = changing(
  "close-demo-calls",
  `update calls set stop_requested_at = coalesce(stop_requested_at, $3)
   where tenant_id = $1 and organization_id = any($2::uuid[]) and status in ('registered', 'ongoing')`,
);

/**
 * From here on nothing of it is sent, and the end of ongoing calls is requested. `now` is the tenant's time. Not in one transaction: claims and
 * replies go on meanwhile, and wait for none of it longer than its statement takes.
 */
export async function close(tx: Tx, tenantId: Uuid, demo: DemoParts, now: Date): Promise<void> {
  await tx.run(closeCampaigns, [tenantId, demo.campaigns]);
  await tx.run(closeDials, [tenantId, demo.campaigns, demo.agents]);
  await tx.run(closeThreads, [tenantId, demo.campaigns]);
  await tx.run(closeCalls, [tenantId, demo.organizations, now]);
}

const underway = statement(
  "count-demo-underway",
  `select (select count(*) from attempts where tenant_id = $1 and campaign_id = any($2::uuid[]) and state in ('in_flight', 'uncertain'))
     + (select count(*) from messages where tenant_id = $1 and campaign_id = any($2::uuid[]) and thread_id is not null
          and due_at is not null and kind in ('confirmation', 'help'))
     + (select count(*) from calls where tenant_id = $1 and organization_id = any($3::uuid[]) and status in ('registered', 'ongoing'))
     + (select count(*) from simulator_texts where tenant_id = $1 and number = any($4::text[]) and owed is not null)
     + (select count(*) from simulator_calls where tenant_id = $1 and number = any($4::text[]) and owed_at is not null) as n`,
);

/**
 * Texts on their way, answers that leave from a deleted campaign too, calls that go on, and what the carrier has still to bring: what comes of
 * them is still written to its rows.
 */
export async function isUnderway(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<boolean> {
  const row = await tx.first<{ n: string }>(underway, [tenantId, demo.campaigns, demo.organizations, demo.numbers]);
  return Number(row!.n) > 0;
}

const recordingsOf = statement(
  "list-demo-recordings",
  `select detail.recording from calls call join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   where call.tenant_id = $1 and call.organization_id = any($2::uuid[]) and detail.recording is not null`,
);

export async function recordings(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<string[]> {
  const rows = await tx.rows<{ recording: string }>(recordingsOf, [tenantId, demo.organizations]);
  return rows.map((row) => row.recording);
}

type Key = "organizations" | "brands" | "campaigns" | "names" | "agents" | "numbers" | "phones" | "users";

const CALLS = "(select id from calls where tenant_id = $1 and organization_id = any($2::uuid[]))";
const LISTS = "(select id from lists where tenant_id = $1 and organization_id = any($2::uuid[]))";
const IMPORTS = "(select id from imports where tenant_id = $1 and organization_id = any($2::uuid[]))";
const SINGLE = `(select id from dials where tenant_id = $1 and campaign_id = '${NO_ID}' and agent_id = any($2::uuid[]))`;
const LANES = "(select id from lanes where tenant_id = $1 and sender = any($2::text[]))";
/** Texts to and from our numbers that belong to no campaign. */
const WITHOUT_CAMPAIGN = `(select id from messages where tenant_id = $1 and thread_id is null and lane_id in ${LANES})`;

type Part = [table: string, key: Key, where: string];

/** The simulated carrier's own records. */
const RECORDS: readonly Part[] = [
  ["simulator_texts", "numbers", "number = any($2::text[])"],
  ["simulator_texts", "names", "campaign = any($2::text[])"],
  ["simulator_calls", "numbers", "number = any($2::text[])"],
  ["simulator_calls", "names", "campaign = any($2::text[])"],
  ["simulator_handsets", "phones", "phone = any($2::text[])"],
];

/** Each with what its rows are found by, in the order in which they can go. */
const PARTS: readonly Part[] = [
  ["inbound_texts", "numbers", "recipient = any($2::text[])"],
  ["campaign_progress", "campaigns", "campaign_id = any($2::uuid[])"],
  ["campaign_counts", "campaigns", "campaign_id = any($2::uuid[])"],
  ["activity_counts", "organizations", "organization_id = any($2::uuid[])"],
  ["left_out_leads", "campaigns", "campaign_id = any($2::uuid[])"],
  ["removed_texts", "campaigns", "campaign_id = any($2::uuid[])"],
  ["removed_calls", "campaigns", "campaign_id = any($2::uuid[])"],
  ["holds", "campaigns", "campaign_id = any($2::uuid[])"],
  ["holds", "agents", `message_id in ${SINGLE}`],
  ["holds", "numbers", `message_id in ${WITHOUT_CAMPAIGN}`],
  ["attempts", "campaigns", "campaign_id = any($2::uuid[])"],
  ["attempts", "agents", `message_id in ${SINGLE}`],
  ["attempts", "numbers", `message_id in ${WITHOUT_CAMPAIGN}`],
  ["extractions", "campaigns", "campaign_id = any($2::uuid[])"],
  ["thread_notes", "campaigns", "campaign_id = any($2::uuid[])"],
  ["thread_reads", "campaigns", "campaign_id = any($2::uuid[])"],
  ["inboxes", "organizations", "organization_id = any($2::uuid[])"],
  ["message_media", "campaigns", "campaign_id = any($2::uuid[])"],
  ["message_media", "numbers", `message_id in ${WITHOUT_CAMPAIGN}`],
  ["messages", "campaigns", "campaign_id = any($2::uuid[])"],
  ["messages", "numbers", `thread_id is null and lane_id in ${LANES}`],
  ["call_injections", "organizations", `call_id in ${CALLS}`],
  ["call_details", "organizations", `call_id in ${CALLS}`],
  ["calls", "organizations", "organization_id = any($2::uuid[])"],
  ["dials", "campaigns", "campaign_id = any($2::uuid[])"],
  ["dials", "agents", `campaign_id = '${NO_ID}' and agent_id = any($2::uuid[])`],
  ["threads", "campaigns", "campaign_id = any($2::uuid[])"],
  ["dial_lanes", "campaigns", "id = any($2::uuid[])"],
  ["number_uses", "numbers", "number = any($2::text[])"],
  ["number_rests", "numbers", "number = any($2::text[])"],
  ["number_days", "numbers", "number = any($2::text[])"],
  ["lanes", "numbers", "sender = any($2::text[])"],
  ["campaigns", "organizations", "organization_id = any($2::uuid[])"],
  ["import_errors", "organizations", `import_id in ${IMPORTS}`],
  ["import_contacts", "organizations", `import_id in ${IMPORTS}`],
  ["imports", "organizations", "organization_id = any($2::uuid[])"],
  ["list_members", "organizations", `list_id in ${LISTS}`],
  ["lists", "organizations", "organization_id = any($2::uuid[])"],
  ["number_checks", "phones", "phone = any($2::text[])"],
  ["consent_records", "phones", "phone = any($2::text[])"],
  ["consents", "phones", "phone = any($2::text[])"],
  ["do_not_call", "organizations", "organization_id = any($2::uuid[])"],
  ["ten_dlc_numbers", "brands", "brand_id = any($2::text[])"],
  ["brand_day_uses", "brands", "brand_id = any($2::text[])"],
  ["ten_dlc_campaigns", "brands", "brand_id = any($2::text[])"],
  ["brands", "brands", "id = any($2::text[])"],
  ["phone_numbers", "organizations", "organization_id = any($2::uuid[])"],
  ["contacts", "organizations", "organization_id = any($2::uuid[])"],
  ["agent_versions", "agents", "agent_id = any($2::uuid[])"],
  ["agents", "organizations", "organization_id = any($2::uuid[])"],
  ["sessions", "users", "user_id = any($2::uuid[])"],
  ["invitations", "users", "user_id = any($2::uuid[])"],
  ["recovery_codes", "users", "user_id = any($2::uuid[])"],
  ["factors", "users", "user_id = any($2::uuid[])"],
  ["identities", "users", "user_id = any($2::uuid[])"],
  ["logins", "users", "user_id = any($2::uuid[])"],
  ["users", "organizations", "organization_id = any($2::uuid[])"],
  ["organizations", "organizations", "id = any($2::uuid[])"],
  // Last: every transaction that changed one of those rows and noted an event of it has committed by now, and no new one finds a row.
  ["events", "organizations", "organization_id = any($2::uuid[])"],
  ["events", "campaigns", "campaign_id = any($2::uuid[])"],
  ["events", "phones", "phone = any($2::text[])"],
  ["events", "brands", "kind = 'brand.updated' and data ->> 'brand_id' = any($2::text[])"],
];

const deletionsOf = (them: readonly Part[]) =>
  them.map(([table, key, where]) => ({
    key,
    statement: changing(
      `delete-demo-${table.replaceAll("_", "-")}-by-${key}`,
      `delete from ${table} where tenant_id = $1 and ${where}`,
    ),
  }));
const recordDeletions = deletionsOf(RECORDS);
const deletions = deletionsOf(PARTS);

/** Removes the simulated carrier's records of it; in a transaction of its own, for the same reason as `silence`. */
export async function removeRecords(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<void> {
  for (const { key, statement } of recordDeletions) await tx.run(statement, [tenantId, demo[key]]);
}

const unlinkNumbers = changing(
  "unlink-demo-agents",
  "update phone_numbers set agent_id = null where tenant_id = $1 and agent_id = any($2::uuid[]) and not coalesce(organization_id = any($3::uuid[]), false)",
);

/** Removes all that is in our own tables. A number of another organization that a demo agent answered is answered by nobody then. */
export async function remove(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<void> {
  await tx.run(unlinkNumbers, [tenantId, demo.agents, demo.organizations]);
  for (const { key, statement } of deletions) await tx.run(statement, [tenantId, demo[key]]);
}

/** Tables whose writers read a campaign without locking it, and may write while it is removed. */
const removeLateOf = ["campaign_counts", "campaign_progress", "events"].map((table) =>
  changing(
    `delete-late-demo-${table.replaceAll("_", "-")}`,
    `delete from ${table} where tenant_id = $1 and campaign_id = any($2::uuid[])`,
  ),
);

const removeLateActivity = changing(
  "delete-late-demo-activity-counts",
  "delete from activity_counts where tenant_id = $1 and organization_id = any($2::uuid[])",
);

const removeLateDays = changing(
  "delete-late-demo-number-days",
  "delete from number_days where tenant_id = $1 and number = any($2::text[])",
);

/** What the sweep was summing, counting and reporting while the campaigns were removed. */
export async function removeLate(tx: Tx, tenantId: Uuid, demo: DemoParts): Promise<void> {
  for (const statement of removeLateOf) await tx.run(statement, [tenantId, demo.campaigns]);
  await tx.run(removeLateActivity, [tenantId, demo.organizations]);
  await tx.run(removeLateDays, [tenantId, demo.numbers]);
}
