-- Answers that the language model has not given yet: how often it has failed at the contact's latest text, and since when. And since when a
-- person is wanted, because no answer of the agent's will come or none could be used.
alter table threads add column answer_failures int not null default 0;
alter table threads add column answer_failing_since timestamptz;
alter table threads add column person_wanted_at timestamptz;

-- As threads_unanswered of 0018, and those for whom a person is wanted although something was said.
drop index threads_unanswered;
create index threads_unanswered on threads (tenant_id, last_inbound_at desc, id desc)
  where ((last_inbound_step = next_step - 1 and reply_due_at is null) or person_wanted_at is not null) and not do_not_message;
-- Few, and none while the model is well.
create index threads_answer_delayed on threads (tenant_id, last_inbound_at desc, id desc) where answer_failing_since is not null;
