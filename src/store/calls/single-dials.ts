import type { Uuid } from "#domain/values/id.ts";
import { CONTACT_NAME } from "#store/contacts/full-name.ts";
import { statement, type Tx } from "#store/database/db.ts";

/** A single call that has no row of its own (yet): it waits, or was never placed. */
export type SingleDial = {
  call_id: Uuid;
  organization_id: Uuid;
  user_id: Uuid;
  contact_id: Uuid | null;
  contact_name: string | null;
  carrier: string;
  agent_id: Uuid;
  agent_version: number;
  number: string;
  phone: string;
  state: "scheduled" | "held" | "dialing" | "done" | "suppressed" | "expired" | "cancelled" | "unknown";
  /** A number where it waits without end: PostgreSQL's infinity. */
  due_at: Date | number | null;
  rule: string | null;
  reason: string | null;
  created_at: Date;
};

const findDial = statement(
  "find-single-dial",
  `select dial.call_id, agent.organization_id, coalesce(dial.user_id, agent.user_id) as user_id, dial.contact_id, lane.carrier,
     (select ${CONTACT_NAME} from contacts contact
      where contact.tenant_id = $1 and contact.id = dial.contact_id) as contact_name,
     dial.agent_id, dial.agent_version, dial.number, dial.phone, dial.state, dial.due_at, dial.rule, dial.reason, dial.created_at
   from dials dial
   join agents agent on agent.tenant_id = $1 and agent.id = dial.agent_id
   join dial_lanes lane on lane.tenant_id = $1 and lane.id = dial.lane_id
   where dial.tenant_id = $1 and dial.call_id = $2 and dial.purpose = 'single'`,
);

/** By the id that the caller was given. */
export function ofCall(tx: Tx, tenantId: Uuid, callId: Uuid): Promise<SingleDial | undefined> {
  return tx.first<SingleDial>(findDial, [tenantId, callId]);
}
