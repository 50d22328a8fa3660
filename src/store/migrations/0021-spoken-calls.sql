-- Calls that somebody who plays a phone takes by a microphone.

-- Where the node that lets it ring is reached by sound, as others find it; null where it has no ears.
alter table simulator_calls add column sound_at text;
-- It was taken by sound: nothing is typed into it.
alter table simulator_calls add column is_spoken boolean not null default false;
