-- What carried the sound of an answered call over a real line, and whether it was encrypted all the time; null of simulated calls, and of those before.
alter table call_details add column codec text, add column encrypted boolean;

-- Numbers of a campaign rotate by what they are used for (0071): which was next is nobody's to keep any more.
alter table dial_lanes drop column next_number;
