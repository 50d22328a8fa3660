-- Campaigns that the service paused by itself, because the carrier serves their sender no more.

-- Why it is paused; null where a person did it.
alter table campaigns add column pause_reason text;
