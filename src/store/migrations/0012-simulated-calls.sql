-- The simulated carrier's own books of calls, apart from ours: which phone truly rang, and what it heard.

-- `seq` is of the same sequence as simulator_texts': a call or text whose seq is above an opt-out's acknowledged_seq came after it.
create table simulator_calls (
  tenant_id uuid not null,
  seq bigint not null,
  handset text not null,
  number text not null,
  direction text not null check (direction in ('to_handset', 'from_handset')),
  -- When it was dialled; times are in the tenant's own.
  at timestamptz not null,
  -- The attempt that it was dialled for, whose campaign and which of the recipient's dials.
  ref uuid,
  campaign text,
  n int,
  outside_window boolean not null default false,
  -- Null while it goes on. At ends_by it is over, whoever conducted it having gone.
  outcome text,
  ends_by timestamptz not null,
  ended_at timestamptz,
  duration_ms int not null default 0,
  -- What the phone heard, an array of texts; what it says, where it was told to call.
  heard jsonb not null default '[]',
  says text[],
  -- When the contact asked for no more in the call, and that had been taken in.
  acknowledged_seq bigint,
  -- A call of a phone that is still to be brought to us.
  owed_at timestamptz,
  primary key (tenant_id, handset, seq)
) with (fillfactor = 60);
create index simulator_calls_ref on simulator_calls (tenant_id, ref) where ref is not null;
create index simulator_calls_owed on simulator_calls (tenant_id, owed_at, seq) where owed_at is not null;

-- What a phone says first when it takes a call, and when it hangs up.
alter table simulator_handsets add column greeting text;
alter table simulator_handsets add column hangs_up_after_ms int;
