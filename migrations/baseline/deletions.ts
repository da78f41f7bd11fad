/** Owners that are to be deleted, or were. */
export const deletions = `
  create table deletions (
    owner_id uuid not null,
    requested_at timestamptz not null,
    -- until then an account can be restored
    due_at timestamptz not null,
    -- when it is looked at next; put ahead while a process works at it
    next_at timestamptz not null,
    -- since when there is no way back
    begun_at timestamptz,
    -- when its last row was deleted
    emptied_at timestamptz,
    -- when it was looked through once more
    ended_at timestamptz,
    constraint deletions_pkey primary key (owner_id),
    constraint deletions_owner_fk foreign key (owner_id) references owners (id),
    constraint deletions_order check (
      (emptied_at is null or begun_at is not null) and (ended_at is null or emptied_at is not null))
  );
  create index deletions_due on deletions (next_at) where ended_at is null;
`
