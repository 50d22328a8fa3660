import { MESSAGE_RANK, RECIPIENT_RANK } from "#domain/messaging/message.ts";

type Sql = (text: string, values?: readonly unknown[]) => Promise<unknown[]>;

/** From what an attempt's state may go where; nothing leads out of the others. */
const ATTEMPT_MOVES: Record<string, readonly string[]> = {
  in_flight: ["accepted", "rejected", "uncertain", "not_sent", "held"],
  uncertain: ["accepted", "rejected", "not_sent", "held"],
  held: ["accepted", "rejected", "not_sent"],
};

/** What was on its way and was not sent waits again; so does what an operator resends. */
const MESSAGES_BACK = ["sending scheduled", "unknown scheduled"];

const quoted = (value: unknown): string => `'${JSON.stringify(value)}'::jsonb`;

/** What the contact itself asked for by its STOP: the only texts that may follow one. */
const ALLOWED_AFTER = ["confirmation", "help"];

// A phone whose opt-out is committed, as the carrier takes something for it that was not claimed before: each query of a function has a snapshot of
// its own, newer than the opt-out's commit. After a START there is none, and none of an erased contact, of whom only a hash is kept. What was claimed
// before leaves before the STOP is acknowledged: `assertLedger` sees to that.
const STOPPED = `from consents where tenant_id = new.tenant_id and phone = new.handset and opted_out_at is not null
        and not exists (select from faults.claimed where ref = new.ref)`;

// In a schema of their own: the service looks after every table in its own. Triggers, which the service itself has none of: they see each change, also one that the next has undone.
const WATCH = `
  create schema if not exists faults;
  create table if not exists faults.steps (what text, id uuid, old text, new text, at timestamptz default clock_timestamp());
  create table if not exists faults.stops (tenant_id uuid, phone text, at timestamptz default clock_timestamp(), primary key (tenant_id, phone));
  create table if not exists faults.claimed (ref uuid primary key);
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
  create or replace function faults.watch_text() returns trigger language plpgsql security definer set app.tenant = '*' as $$
    begin
      insert into faults.steps (what, id, old, new) select 'text after opt-out', new.ref, opted_out_at::text, new.purpose ${STOPPED};
      return null;
    end $$;
  create or replace function faults.watch_call() returns trigger language plpgsql security definer set app.tenant = '*' as $$
    begin
      insert into faults.steps (what, id, old, new) select 'call after opt-out', new.ref, opted_out_at::text, new.handset ${STOPPED};
      return null;
    end $$;
  -- A claim holds its campaigns as they are until it commits: one that sees a stop begins after it.
  create or replace function faults.watch_claim() returns trigger language plpgsql security definer set app.tenant = '*' as $$
    begin
      insert into faults.steps (what, id, old, new)
      select 'attempt of a stopped campaign', new.ref, campaigns.status, messages.kind from campaigns
      join messages on messages.tenant_id = new.tenant_id and messages.campaign_id = new.campaign_id and messages.id = new.message_id
      where campaigns.tenant_id = new.tenant_id and campaigns.id = new.campaign_id and campaigns.status in ('paused', 'deleted')
        and messages.kind in ('start', 'drip', 'reply');
      return null;
    end $$;
  -- Deferred, so that it runs as the transaction commits. Consents are locked until then: no claim of this phone is between.
  create or replace function faults.watch_stop() returns trigger language plpgsql security definer set app.tenant = '*' as $$
    begin
      insert into faults.stops (tenant_id, phone) values (new.tenant_id, new.phone) on conflict do nothing;
      insert into faults.claimed (ref) select ref from attempts
      where tenant_id = new.tenant_id and phone = new.phone and state in ('in_flight', 'uncertain') on conflict do nothing;
      return null;
    end $$;
  create or replace trigger watch after update of state on messages for each row execute function faults.watch_message();
  create or replace trigger watch after update of state on threads for each row execute function faults.watch_thread();
  create or replace trigger watch after update of state on attempts for each row execute function faults.watch_attempt();
  create or replace trigger watch_claim after insert on attempts for each row execute function faults.watch_claim();
  create or replace trigger watch after insert on simulator_texts for each row
    when (new.direction = 'to_handset' and not ${quoted(ALLOWED_AFTER)} ? coalesce(new.purpose, '')) execute function faults.watch_text();
  create or replace trigger watch after insert on simulator_calls for each row
    when (new.direction = 'to_handset') execute function faults.watch_call();
  drop trigger if exists watch_stop on consents;
  create constraint trigger watch_stop after insert or update on consents deferrable initially deferred for each row
    when (new.opted_out_at is not null) execute function faults.watch_stop();`;

/**
 * From here on every step of a message, recipient or attempt that may not be is written down in `faults.steps`, and so is what a carrier takes
 * for a phone whose opt-out was committed before it was claimed, or is begun for a campaign that is stopped; in `faults.stops` when each phone's first opt-out was committed, in real time.
 */
export async function installWatch(sql: Sql): Promise<void> {
  await sql(WATCH);
}
