import type { GuessLimit } from "#domain/accounts/guess.ts";
import { crossTenantChanging, type Tx } from "#store/database/db.ts";

// How often passwords, links and keys were guessed at, over all nodes. A row is a token bucket stored as one time: when it is full again (the generic
// cell rate algorithm). Taking is one statement, so that of many at once, on any node, no more get through than may.

const takeGuesses = crossTenantChanging(
  "take-guesses",
  `insert into guesses as kept (name, at_ms, full_at_ms, granted)
   select $1, now_ms, now_ms + least($2::bigint, $3::bigint) * $4::bigint, least($2::bigint, $3::bigint)
   from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms) as clock
   on conflict (name) do update set
     at_ms = excluded.at_ms,
     granted = greatest(0, least($2::bigint,
       ($3::bigint * $4::bigint - greatest(0, kept.full_at_ms - excluded.at_ms)) / $4::bigint)),
     full_at_ms = greatest(kept.full_at_ms, excluded.at_ms) + $4::bigint * greatest(0, least($2::bigint,
       ($3::bigint * $4::bigint - greatest(0, kept.full_at_ms - excluded.at_ms)) / $4::bigint))
   returning granted, (full_at_ms - at_ms)::float8 as full_in_ms`,
);

/** Takes up to `count` tries. Returns how many were left, and when there will be one again. */
export async function take(
  tx: Tx,
  name: Buffer,
  { tries, everyMs }: GuessLimit,
  count: number,
): Promise<{ granted: number; nextInMs: number }> {
  const row = await tx.first<{ granted: number; full_in_ms: number }>(takeGuesses, [name, count, tries, everyMs]);
  const { granted, full_in_ms } = row!;
  return { granted, nextInMs: Math.max(0, full_in_ms - (tries - 1) * everyMs) };
}

const giveBackGuess = crossTenantChanging(
  "give-back-guess",
  "update guesses set full_at_ms = full_at_ms - $2 where name = $1",
);

/** Gives one try back that was no guess. */
export async function giveBack(tx: Tx, name: Buffer, { everyMs }: GuessLimit): Promise<void> {
  await tx.run(giveBackGuess, [name, everyMs]);
}

const forgetGuesses = crossTenantChanging(
  "forget-guesses",
  "delete from guesses where full_at_ms < (extract(epoch from now()) * 1000)::bigint",
);

/** Deletes the buckets that are full again. */
export const forget = (tx: Tx): Promise<number> => tx.run(forgetGuesses);
