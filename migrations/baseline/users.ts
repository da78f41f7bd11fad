/** Users, and owners: everything belongs to a user or to a workspace. */
export const users = `
  create table users (
    id uuid not null,
    created_at timestamptz not null,
    terms_accepted_at timestamptz,
    email_verified_at timestamptz,
    -- an admin suspended the user
    suspended_at timestamptz,
    suspension_reason text,
    admin boolean not null default false,
    email text not null,
    -- null for users who only sign in through a provider
    password_hash text,
    terms_version text,
    constraint users_pkey primary key (id),
    constraint users_email_unique unique (email),
    constraint users_email_length check (char_length(email) between 3 and 254),
    constraint users_terms_both check ((terms_version is null) = (terms_accepted_at is null))
  );
  create index users_admins on users (email) where admin;

  -- A user's own owner row has the user's id.
  create table owners (
    id uuid not null,
    created_at timestamptz not null,
    kind text not null,
    constraint owners_pkey primary key (id),
    constraint owners_kind check (kind in ('user', 'workspace'))
  );

  create function users_make_owner() returns trigger language plpgsql as $$
  begin
    insert into owners (id, created_at, kind) values (new.id, new.created_at, 'user');
    return new;
  end
  $$;
  -- A trigger, so that no code can create a user without the owner.
  create trigger users_are_owners after insert on users for each row execute function users_make_owner();
`
