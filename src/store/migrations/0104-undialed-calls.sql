-- Single calls that have no row in calls, since they wait or were never placed, in the order of the list of calls (store/calls/single-dials.ts).
create index dials_undialed on dials (tenant_id, created_at)
  where purpose = 'single' and state in ('scheduled', 'held', 'suppressed', 'expired', 'cancelled');
