import type pg from "pg";

/** The first eight digits of a file's name of the log are its timeline's. A server that stands in for another may not say. */
const CURRENT = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int::text";
const TIMELINE = `select case when pg_is_in_recovery() then null else ${CURRENT} end as timeline`;

/** Not every server has such a log, nor lets everybody ask: feature_not_supported, insufficient_privilege, undefined_function. */
const WITHOUT = ["0A000", "42501", "42883"];

/**
 * Notes in a new session, as `app.timeline`, on which timeline of its history the server is: a session stays on the one that it began on. Fails where
 * the server stands in for another: nothing may be decided by what it has. Where it cannot say nothing is noted.
 */
export async function noteTimeline(session: Pick<pg.ClientBase, "query">): Promise<void> {
  const timeline = await timelineOf(session);
  if (timeline !== undefined) await session.query("select set_config('app.timeline', $1, false)", [timeline]);
}

/** The same of a session that others have between its transactions: what opens each of them, which may be with another server than the one before. */
export const noteTimelineEach = async (session: Pick<pg.ClientBase, "query">): Promise<string[]> =>
  (await timelineOf(session)) === undefined ? [] : [`select set_config('app.timeline', ${CURRENT}, true)`];

async function timelineOf(session: Pick<pg.ClientBase, "query">): Promise<string | undefined> {
  const found = await session.query<{ timeline: string | null }>(TIMELINE).catch((error: { code?: string }) => {
    if (WITHOUT.includes(error.code ?? "")) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { timeline } = found.rows[0]!;
  if (timeline === null) throw new Error("the database stands in for another server, which is the one to connect to");
  return timeline;
}

/** In a statement over `cluster`: this session's server is on a timeline of which it is not known yet that nothing is missing. */
export const ON_UNKNOWN_TIMELINE =
  "coalesce(timeline <> nullif(current_setting('app.timeline', true), '')::int, false)";
