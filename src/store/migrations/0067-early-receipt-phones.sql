-- The last four characters of the phone that a receipt names: of two texts with one id they say which is meant, and of nobody who it is.
alter table early_receipts add column phone_end text;
