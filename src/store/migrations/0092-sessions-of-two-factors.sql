-- Whether its sign-in was two factors in one, so that it lacks none where one is required of a user who has none here: an identity provider may ask for both.
alter table sessions add column has_shown_factor boolean not null default false;
