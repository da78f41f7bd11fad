/**
 * The audit log of every owner. The database keeps it append-only: an entry is completed once, by its outcome, and
 * otherwise never changes. The transaction setting `switchyard.audit` names the exceptions: `withdraw` deletes the
 * entry of a refused change, `purge` deletes old entries, and `forget` clears details about deleted people.
 */
export const audit = `
  create table audit_entries (
    id uuid not null,
    owner_id uuid not null,
    created_at timestamptz not null,
    -- the operation's name in the API
    action text not null,
    subject_kind text not null,
    subject_id text,
    -- the user; no foreign key, because the entry outlives the account
    actor_id uuid,
    via text not null,
    -- the login, the API key or the app
    via_id uuid,
    address text,
    user_agent text,
    before jsonb,
    after jsonb,
    -- null: begun, with an unknown outcome
    outcome text,
    constraint audit_entries_pkey primary key (id),
    constraint audit_entries_owner_fk foreign key (owner_id) references owners (id),
    constraint audit_entries_via check (via in ('login', 'api-key', 'app', 'mail', 'command', 'platform')),
    constraint audit_entries_outcome check (outcome in ('done', 'unknown'))
  );
  create index audit_entries_of_owner on audit_entries (owner_id, id);
  create index audit_entries_of_actor on audit_entries (actor_id, id);
  create index audit_entries_of_subject on audit_entries (subject_id, id);
  -- for one owner, and for all
  create index audit_entries_of_action on audit_entries (owner_id, action, id);
  create index audit_entries_of_action_here on audit_entries (action, id);

  create function audit_entries_keep() returns trigger language plpgsql as $$
  declare
    purpose text := coalesce(current_setting('switchyard.audit', true), '');
    completed text[] := array['outcome', 'after', 'subject_id'];
    forgotten text[] := array['before', 'after', 'address', 'user_agent'];
  begin
    if tg_op = 'DELETE' then
      if purpose = 'purge' or (purpose = 'withdraw' and old.outcome is null) then return old; end if;
    elsif old.outcome is null and to_jsonb(new) - completed = to_jsonb(old) - completed then
      return new;
    elsif purpose = 'forget' and to_jsonb(new) - forgotten = to_jsonb(old) - forgotten then
      return new;
    end if;
    raise exception 'the audit log is append-only';
  end
  $$;
  create trigger audit_entries_are_kept before update or delete on audit_entries
    for each row execute function audit_entries_keep();
`
