-- The simulated carrier's own books, apart from ours: what truly arrived at which handset. Unlogged would be
-- faster and would lie: it commits what it accepts before it answers.

-- `seq` orders the carrier's whole life: a text whose seq is above a STOP's acknowledged_seq came after it.
create table simulator_texts (
  tenant_id uuid not null,
  seq bigint generated always as identity,
  handset text not null,
  number text not null,
  direction text not null check (direction in ('to_handset', 'from_handset')),
  text text not null,
  at timestamptz not null,
  ref uuid,
  campaign text,
  step int,
  purpose text,
  outside_window boolean not null default false,
  acknowledged_seq bigint,
  -- What the carrier still owes: a receipt for a text to the handset, or a webhook for one from it.
  owed text,
  owed_at timestamptz,
  primary key (tenant_id, handset, seq)
) with (fillfactor = 80);
create index simulator_texts_ref on simulator_texts (tenant_id, ref) where ref is not null;
create index simulator_texts_owed on simulator_texts (tenant_id, owed_at, seq) where owed is not null;

create table simulator_handsets (
  tenant_id uuid not null,
  phone text not null,
  behavior text,
  says text[],
  answer_delay_ms int,

  primary key (tenant_id, phone)
);
