import type { Agent } from "#domain/agents/agent.ts";
import type { AgentRow, AgentVersion } from "#domain/agents/record.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";

/** An agent with its newest version. */
export type StoredAgent = AgentRow;

const SELECT = `select agent.id, agent.organization_id, agent.user_id, agent.type, agent.version, agent.voice_agent_id, agent.voice_llm_id,
    version.config, agent.created_at, agent.updated_at
  from agents agent
  join agent_versions version on version.tenant_id = $1 and version.agent_id = agent.id and version.version = agent.version
  where agent.tenant_id = $1 and agent.deleted_at is null`;

/** The end of a statement that changes an agent at a real time. */
const noted = (change: string, at: string, from: string): string => `
   insert into events (tenant_id, kind, at, organization_id, object_ids, data)
   select $1, 'agent.updated', ${tenantTime(at)}, organization_id, array[id], jsonb_build_object('version', version, 'change', '${change}')
   from ${from}
   on conflict do nothing`;

const insertAgent = changingAndReading(
  "insert-agent",
  `with made as (
     insert into agents (tenant_id, id, organization_id, user_id, type, version, voice_agent_id, voice_llm_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) on conflict (tenant_id, id) do nothing returning id, organization_id, version)
   ${noted("created", "$9", "made")}`,
);

const insertVersion = changing(
  "insert-agent-version",
  `insert into agent_versions (tenant_id, agent_id, version, config, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, agent_id, version) do nothing`,
);

/** Safe to repeat with the same id. */
export async function insert(tx: Tx, tenantId: Uuid, agent: Omit<StoredAgent, "updated_at">): Promise<void> {
  await tx.run(insertAgent, [
    tenantId,
    agent.id,
    agent.organization_id,
    agent.user_id,
    agent.type,
    agent.version,
    agent.voice_agent_id,
    agent.voice_llm_id,
    agent.created_at,
  ]);
  await tx.run(insertVersion, [tenantId, agent.id, agent.version, JSON.stringify(agent.config), agent.created_at]);
}

const findAgent = statement("find-agent", `${SELECT} and agent.id = $2`);

/** A deleted agent is not found. */
export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<StoredAgent | undefined> {
  return tx.first<StoredAgent>(findAgent, [tenantId, id]);
}

const findByVoice = statement("find-agent-by-voice-id", `${SELECT} and agent.voice_agent_id = $2`);

export function findByVoiceId(tx: Tx, tenantId: Uuid, voiceAgentId: Uuid): Promise<StoredAgent | undefined> {
  return tx.first<StoredAgent>(findByVoice, [tenantId, voiceAgentId]);
}

/** A voice agent by either id: its own, or its voice agent's. */
export async function findByAnyId(tx: Tx, tenantId: Uuid, name: string): Promise<StoredAgent | undefined> {
  const id = parseId("agent", name);
  if (id !== undefined) return find(tx, tenantId, id);
  const voiceAgentId = parseId("voiceAgent", name);
  return voiceAgentId === undefined ? undefined : findByVoiceId(tx, tenantId, voiceAgentId);
}

const findVersion = statement(
  "find-agent-version",
  "select config from agent_versions where tenant_id = $1 and agent_id = $2 and version = $3",
);

/** An agent's version: a campaign keeps the one it started with, even when the agent is deleted. */
export async function configOf(tx: Tx, tenantId: Uuid, id: Uuid, version: number): Promise<Agent> {
  const row = await tx.first<{ config: Agent }>(findVersion, [tenantId, id, version]);
  return row!.config;
}

const findVersionOf = statement(
  "find-version-of-agent",
  `select version.version, version.version = agent.version as is_current, version.config, version.created_at
   from agents agent
   join agent_versions version on version.tenant_id = $1 and version.agent_id = agent.id and version.version = $3
   where agent.tenant_id = $1 and agent.id = $2 and agent.deleted_at is null`,
);

/** One version of an agent that has not been deleted. */
export function findVersionOfAgent(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  version: number,
): Promise<AgentVersion | undefined> {
  return tx.first<AgentVersion>(findVersionOf, [tenantId, id, version]);
}

const listVersions = statement(
  "list-agent-versions",
  `select version.version, version.version = agent.version as is_current, version.config, version.created_at
   from agents agent
   join agent_versions version on version.tenant_id = $1 and version.agent_id = agent.id
   where agent.tenant_id = $1 and agent.id = $2 and ($3::int is null or version.version < $3)
   order by version.version desc limit $4`,
);

/** Newest first, one more than a page. */
export function versionsOf(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  page: { before: number | undefined; limit: number },
): Promise<AgentVersion[]> {
  return tx.rows<AgentVersion>(listVersions, [tenantId, id, page.before ?? null, page.limit + 1]);
}

const listAgents = statement(
  "list-agents",
  `${SELECT} and agent.organization_id = $2 and agent.id < $3 and ($4::text is null or agent.type = $4)
   order by agent.id desc limit $5`,
);

/** Newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: Uuid; limit: number; type: string | undefined },
): Promise<StoredAgent[]> {
  return tx.rows<StoredAgent>(listAgents, [tenantId, organizationId, page.before, page.type ?? null, page.limit + 1]);
}

const listStarts = statement(
  "list-starting-messages",
  `select coalesce(version.config ->> 'agent_name', '') as name, coalesce(version.config ->> 'starting_message', '') as text
   from agents agent
   join agent_versions version on version.tenant_id = $1 and version.agent_id = agent.id and version.version = agent.version
   where agent.tenant_id = $1 and agent.deleted_at is null and agent.type = 'sms' order by agent.id desc limit $2`,
);

/** What the agents that text begin with, the newest first. */
export function startingMessages(tx: Tx, tenantId: Uuid, limit: number): Promise<{ name: string; text: string }[]> {
  return tx.rows(listStarts, [tenantId, limit]);
}

// Locked by a statement of its own: one that also joins the version would see the old one after a wait, match
// nothing, and the agent would seem to be gone.
const lockAgent = statement(
  "lock-agent",
  "select id from agents where tenant_id = $1 and id = $2 and deleted_at is null for no key update",
);
const holdAgent = statement(
  "hold-agent",
  "select id from agents where tenant_id = $1 and id = $2 and deleted_at is null for share",
);

/** Locks the agent to change or delete it: nobody else does so, or starts a campaign with it, until the commit. */
export async function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<StoredAgent | undefined> {
  return (await tx.run(lockAgent, [tenantId, id])) === 1 ? find(tx, tenantId, id) : undefined;
}

/** Locks the agent to start a campaign with it: it is neither changed nor deleted until the commit. */
export async function hold(tx: Tx, tenantId: Uuid, id: Uuid): Promise<StoredAgent | undefined> {
  return (await tx.run(holdAgent, [tenantId, id])) === 1 ? find(tx, tenantId, id) : undefined;
}

const raiseAgent = changingAndReading(
  "raise-agent-version",
  `with raised as (
     update agents set version = $3, updated_at = $4 where tenant_id = $1 and id = $2 returning id, organization_id, version)
   ${noted("updated", "$4", "raised")}`,
);

/** Gives a locked agent its next version. */
export async function change(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  next: { version: number; config: Agent; at: Date },
): Promise<void> {
  await tx.run(insertVersion, [tenantId, id, next.version, JSON.stringify(next.config), next.at]);
  await tx.run(raiseAgent, [tenantId, id, next.version, next.at]);
}

const inUse = statement(
  "agent-in-use",
  `select campaign_id from campaigns
   where tenant_id = $1 and status in ('processing', 'active', 'paused', 'scheduled', 'running')
     and (agent_id = $2 or settings ->> 'voice_agent_id' = any($3::text[]))
   limit 1`,
);

/** A campaign that is not over and uses the agent, by the caller's own id; `names` are the agent's public ids. */
export async function usedBy(tx: Tx, tenantId: Uuid, id: Uuid, names: readonly string[]): Promise<string | undefined> {
  return (await tx.first<{ campaign_id: string }>(inUse, [tenantId, id, names]))?.campaign_id;
}

const removeAgent = changingAndReading(
  "remove-agent",
  `with removed as (
     update agents set deleted_at = $3 where tenant_id = $1 and id = $2 and deleted_at is null returning id, organization_id, version)
   ${noted("deleted", "$3", "removed")}`,
);

/** Deletes the agent. Its versions stay: past campaigns were run with them. */
export async function remove(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.run(removeAgent, [tenantId, id, at]);
}
