/** Owners whose deletion is pending or complete. */
export const deletions = `
  create table deletions (
    owner_id uuid not null,
    requested_at timestamptz not null,
    -- an account can be restored until then
    due_at timestamptz not null,
    -- when to work on it next; moved ahead while a process works on it
    next_at timestamptz not null,
    -- when it became irreversible
    begun_at timestamptz,
    -- when its last row was deleted
    emptied_at timestamptz,
    -- when the final check finished
    ended_at timestamptz,
    constraint deletions_pkey primary key (owner_id),
    constraint deletions_owner_fk foreign key (owner_id) references owners (id),
    constraint deletions_order check (
      (emptied_at is null or begun_at is not null) and (ended_at is null or emptied_at is not null))
  );
  create index deletions_due on deletions (next_at) where ended_at is null;
`
