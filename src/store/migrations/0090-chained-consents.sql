-- Consents join the hash chain of their tenant in their mode (0080): the digest is made with the record, in the transaction that writes it. What is the
-- person's is in it by a salted digest of its own, so that it can be erased. Null: from before this.
alter table consent_records add column salt bytea;
alter table consent_records add column digest bytea;

-- That a person was erased, when, and how many consents went: chained too. `tenant_id` is the mode's.
create table chain_erasures (
  tenant_id uuid not null references tenants,
  id uuid not null,
  -- Null: with the demo data.
  contact_id uuid,
  at timestamptz not null,
  consents int not null,
  digest bytea not null,
  primary key (tenant_id, id)
);
create index chain_erasures_by_contact on chain_erasures (tenant_id, contact_id);

-- What stays of a chained consent whose person was erased: enough that its link can still be computed, and nothing of the person.
create table chain_erased_consents (
  tenant_id uuid not null,
  id uuid not null,
  erasure_id uuid not null,
  event text not null,
  basis text,
  channel text not null,
  at timestamptz not null,
  recorded_at timestamptz not null,
  -- The salted digest of what was the person's; the salt is gone.
  personal bytea not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, erasure_id) references chain_erasures
);
create index chain_erased_consents_by_erasure on chain_erased_consents (tenant_id, erasure_id);

-- As those of 0080: added to, and never changed.
do $$
declare
  it text;
begin
  foreach it in array array['chain_erasures', 'chain_erased_consents'] loop
    execute format('create policy append_only_update on %I as restrictive for update using (false)', it);
    execute format('create policy append_only_delete on %I as restrictive for delete using (false)', it);
  end loop;
end;
$$;
