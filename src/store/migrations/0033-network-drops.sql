-- What a media node has dropped of what came over the network since its process began, by kind.
alter table nodes add column drops jsonb not null default '{}';
