-- What transcribed the contact of a call; null of calls in words, and of those before.
alter table call_details add column speech_to_text text;
