import { MESSAGE_RANK, RECIPIENT_RANK } from "#domain/message.ts";

type Sql = (text: string, values?: readonly unknown[]) => Promise<unknown[]>;

/** From what an attempt's state may go where; nothing leads out of the others. */
const ATTEMPT_MOVES: Record<string, readonly string[]> = {
  in_flight: ["accepted", "rejected", "uncertain", "not_sent", "held"],
  uncertain: ["accepted", "rejected", "not_sent", "held"],
  held: ["accepted", "not_sent"],
};

/** What was on its way and was not sent waits again; so does what an operator resends. */
const MESSAGES_BACK = ["sending scheduled", "unknown scheduled"];

const quoted = (value: unknown): string => `'${JSON.stringify(value)}'::jsonb`;

// In a schema of their own: the service looks after every table in its own. Triggers, which the service itself has none of: they see each change, also one that the next has undone.
const WATCH = `
  create schema if not exists faults;
  create table if not exists faults.steps (what text, id uuid, old text, new text, at timestamptz default clock_timestamp());
  create or replace function faults.watch_message() returns trigger language plpgsql security definer as $$
    begin
      if new.direction = 'outbound' and new.state <> old.state
        and (${quoted(MESSAGE_RANK)} ->> new.state)::int < (${quoted(MESSAGE_RANK)} ->> old.state)::int
        and not ${quoted(MESSAGES_BACK)} ? (old.state || ' ' || new.state)
      then insert into faults.steps (what, id, old, new) values ('message', new.id, old.state, new.state); end if;
      return null;
    end $$;
  create or replace function faults.watch_thread() returns trigger language plpgsql security definer as $$
    begin
      if (${quoted(RECIPIENT_RANK)} ->> new.state)::int < (${quoted(RECIPIENT_RANK)} ->> old.state)::int
      then insert into faults.steps (what, id, old, new) values ('thread', new.id, old.state, new.state); end if;
      return null;
    end $$;
  create or replace function faults.watch_attempt() returns trigger language plpgsql security definer as $$
    begin
      if new.state <> old.state and not coalesce(${quoted(ATTEMPT_MOVES)} -> old.state ? new.state, false)
      then insert into faults.steps (what, id, old, new) values ('attempt', new.ref, old.state, new.state); end if;
      return null;
    end $$;
  create or replace trigger watch after update of state on messages for each row execute function faults.watch_message();
  create or replace trigger watch after update of state on threads for each row execute function faults.watch_thread();
  create or replace trigger watch after update of state on attempts for each row execute function faults.watch_attempt();`;

/** From here on every step of a message, recipient or attempt that may not be is written down in `faults.steps`. */
export async function installWatch(sql: Sql): Promise<void> {
  await sql(WATCH);
}
