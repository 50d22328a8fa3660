/**
 * What the tables of a tenant ($1) may never say once everything has come to rest, at its time ($2). Each row that comes back is a
 * problem. Of counts, those of recipients and messages: those of calls are kept elsewhere.
 */
export const AT_REST = `
  select 'two accepted attempts at message ' || message_id as problem from attempts
  where tenant_id = $1 and state = 'accepted' group by message_id having count(*) > 1
  union all
  select 'an attempt stays ' || state || ': ' || ref from attempts
  where tenant_id = $1 and state in ('in_flight', 'uncertain')
  union all
  select 'a ' || message.kind || ' to ' || message.phone || ' stays ' || message.state || ', due ' || coalesce(due_at::text, 'never')
  from messages message left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = message.campaign_id
  where message.tenant_id = $1 and (message.state = 'sending' or (message.state in ('scheduled', 'held')
    and (due_at is null or due_at <= $2 or (due_at = 'infinity' and campaign.status is distinct from 'paused'))))
  union all
  select 'a ' || kind || ' is due and ' || state from messages
  where tenant_id = $1 and due_at is not null and state not in ('scheduled', 'held')
  union all
  select 'recipient ' || phone || ' stays ' || state || ' and nothing is to come' from threads thread
  where tenant_id = $1 and state in ('scheduled', 'held', 'sending') and not exists (
    select from messages message where message.tenant_id = $1 and message.campaign_id = thread.campaign_id
      and message.thread_id = thread.id and step = 0 and due_at is not null)
  union all
  select 'phone ' || phone || ' stays in doubt' from consents where tenant_id = $1 and doubted_at is not null
  union all
  select 'an answer to ' || phone || ' is due and does not come' from threads where tenant_id = $1 and reply_due_at <= $2
  union all
  select 'campaign ' || coalesce(counted.campaign_id, real.campaign_id) || ' counts ' || coalesce(counted.n, 0) || ' '
    || coalesce(counted.state, real.state) || ', there are ' || coalesce(real.n, 0)
  from (select campaign_id, state, sum(n)::int as n from campaign_counts where tenant_id = $1
    and state not like 'call%' group by campaign_id, state having sum(n) <> 0)
    as counted
  full join (
    select campaign_id, state, count(*)::int as n from threads where tenant_id = $1 group by campaign_id, state
    union all
    select campaign_id, 'pending', count(*)::int from messages where tenant_id = $1 and thread_id is not null
      and direction = 'outbound' and state in ('scheduled', 'held', 'sending') group by campaign_id) as real using (campaign_id, state)
  where counted.n is distinct from real.n`;
