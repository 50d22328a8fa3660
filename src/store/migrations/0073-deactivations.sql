-- The last day on which a carrier said that the number was given up: whoever has it since is another, and a consent from before counts no more.
alter table consents add column deactivated_at timestamptz;

-- Of an account that reads such lists: the last day whose list was read, and when the next was last asked for.
alter table carrier_accounts add column deactivations_read_on date, add column deactivations_asked_at timestamptz;
