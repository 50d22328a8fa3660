import { pictureName } from "#domain/messaging/media.ts";
import type { ObjectOwner } from "#domain/system/object-name.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

/**
 * Whether an object is to be kept. `kept`: it is referred to. `waiting`: it may yet be. `unlinked`: a recording of a call that is over and has none,
 * since the process that stored it died before it could say so. `nobody`: what it is of does not exist, or not any more, or its person was erased.
 */
export type ObjectState = "kept" | "waiting" | "unlinked" | "nobody";

const statesOfRecordings = statement(
  "read-states-of-recordings",
  `select call.id, case when detail.recording is not null then 'kept' when call.status in ('registered', 'ongoing') then 'waiting'
     else 'unlinked' end as state
   from calls call left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   -- Of a person who was erased nothing is kept, nor what was removed since its time was over.
   where call.tenant_id = $1 and call.id = any($2::uuid[]) and call.phone like '+%' and detail.recording_removed_at is null`,
);

const statesOfMedia = statement(
  "read-states-of-media",
  `select id, case state when 'kept' then 'kept' when 'waiting' then 'waiting' else 'nobody' end as state
   from message_media where tenant_id = $1 and id = any($2::uuid[])`,
);

// An uploaded picture is known by nothing but the day on which it is to go.
const statesOfPictures = statement(
  "read-states-of-pictures",
  `select right(name, 36)::uuid as id, 'kept' as state from doomed_objects
   where tenant_id = $1 and name = any($2::text[]) and doomed_at > $3 and removed_at is null`,
);

/** Of the objects of one kind and tenant, by id; `realNow` is real time. */
export async function states(
  tx: Tx,
  tenantId: Uuid,
  kind: ObjectOwner["kind"],
  ids: readonly Uuid[],
  realNow: Date,
): Promise<Map<Uuid, ObjectState>> {
  const rows =
    kind === "picture"
      ? await tx.rows<{ id: Uuid; state: ObjectState }>(statesOfPictures, [
          tenantId,
          ids.map((id) => pictureName(tenantId, id)),
          realNow,
        ])
      : await tx.rows<{ id: Uuid; state: ObjectState }>(kind === "media" ? statesOfMedia : statesOfRecordings, [
          tenantId,
          ids,
        ]);
  const found = new Map(rows.map(({ id, state }) => [id, state]));
  return new Map(ids.map((id) => [id, found.get(id) ?? "nobody"]));
}
