-- People sign in to the console: with what, by which invitation, and who is signed in.

-- A user who is deleted leaves what is his in place, and his e-mail address free.
alter table users add column deleted_at timestamptz;
drop index users_email;
create unique index users_email on users (tenant_id, lower(email)) where deleted_at is null;

-- Found by the address, in lower case, before the tenant is known: so it is one person's over all tenants. `password` is a
-- hash in the form of the PHC: algorithm, cost, salt and hash.
create table logins (
  email text primary key,
  tenant_id uuid not null,
  user_id uuid not null,
  password text not null,
  changed_at timestamptz not null,
  unique (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users
);

-- Found by the digest of what is in the link. A user has one at a time.
create table invitations (
  digest bytea primary key,
  tenant_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users
);

-- Found by the digest of the cookie. `expires_at` is the day's end of it; it ends sooner where `seen_at` is long ago. Those that
-- are over go when their person signs in again.
create table sessions (
  digest bytea primary key,
  id uuid not null unique,
  tenant_id uuid not null,
  user_id uuid not null,
  mode text not null check (mode in ('live', 'test')),
  address text not null,
  user_agent text,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (tenant_id, user_id) references users
);
create index sessions_by_user on sessions (tenant_id, user_id, id);

-- The one row that makes this database's setup link another than every other database's; who sets the console up holds it.
create table console_setup (
  salt uuid primary key
);
insert into console_setup (salt) values (gen_random_uuid());
