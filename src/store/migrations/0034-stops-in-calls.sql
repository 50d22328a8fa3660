-- An opt-out that was said in a call and could not be written: a doubt that needs no judging. Its call, and the contact's words.
alter table consents add column doubt_call_id uuid;
alter table consents add column doubt_quote text;
