-- What an account's webhooks were signed with before its credentials were replaced: a carrier may go on with it for a while.
alter table carrier_accounts add column former_credentials jsonb, add column rotated_at timestamptz;
