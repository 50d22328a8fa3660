-- When the carrier was last asked to sell the number, and since when the number, or its order, is nobody's answer: a request repeated gets it.
alter table phone_numbers add column tried_at timestamptz, add column unanswered_at timestamptz;
create index phone_numbers_unanswered on phone_numbers (tenant_id, area_code) where unanswered_at is not null;
