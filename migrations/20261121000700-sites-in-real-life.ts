import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table vault_entries
      -- connected: the credential is believed to be good; needs_reauth: only its owner can make it good again
      add status text not null default 'connected'
        constraint vault_entries_status check (status in ('connected', 'needs_reauth')),
      add status_reason text,
      -- raised with every new credential; whoever acts on what it knew of an older one is refused
      add generation integer not null default 1,
      -- of OAuth only: as which client, for which scopes, and how long the access token is good
      add client_id text,
      add scopes json,
      add expires_at timestamptz,
      add refresh_after timestamptz,
      -- since when the credential is the one it is; refresh tokens that nobody uses die of age
      add renewed_at timestamptz,
      add last_used_at timestamptz,
      add manifest_checked_at timestamptz;
    update vault_entries set renewed_at = updated_at, manifest_checked_at = manifest_fetched_at;
    alter table vault_entries
      alter renewed_at set not null,
      alter manifest_checked_at set not null;
    create index vault_entries_keep_alive on vault_entries (renewed_at) where auth_type = 'oauth2' and status = 'connected';
    create index vault_entries_check on vault_entries (manifest_checked_at);

    -- Every attempt to refresh an access token: written before the request leaves (the intent), held while it is under
    -- way (the lease), and kept afterwards (the history).
    create table vault_refreshes (
      id text primary key,
      entry_id text not null constraint vault_refreshes_entry_fk references vault_entries (id) on delete cascade,
      -- the generation of the credential whose refresh token was sent
      generation integer not null,
      cause text not null constraint vault_refreshes_cause check (cause in ('expiry', 'unauthorized', 'keep_alive')),
      started_at timestamptz not null,
      lease_until timestamptz not null,
      -- when somebody first asked for an expired lease
      contested_at timestamptz,
      ended_at timestamptz,
      outcome text constraint vault_refreshes_outcome
        check (outcome in ('refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned')),
      error text,
      -- when the site wants to be asked again
      retry_at timestamptz,
      rotated boolean,
      constraint vault_refreshes_ended check ((ended_at is null) = (outcome is null))
    );
    create unique index vault_refreshes_one_open on vault_refreshes (entry_id) where ended_at is null;
    create index vault_refreshes_list on vault_refreshes (entry_id, id);

    -- An owner's attempt to connect a site by OAuth, from start to callback.
    create table oauth_flows (
      id text primary key,
      owner_id text not null constraint oauth_flows_owner_fk references users (id),
      -- set when an existing entry is authorised again
      entry_id text constraint oauth_flows_entry_fk references vault_entries (id) on delete cascade,
      origin text not null,
      manifest json not null,
      client_id text not null,
      scopes json not null,
      -- of the address that the browser opens, of the state that goes to the site, of the cookie that binds the two
      ticket_hash text not null constraint oauth_flows_ticket unique,
      state_hash text constraint oauth_flows_state unique,
      binding_hash text,
      verifier text,
      status text not null constraint oauth_flows_status check (status in ('pending', 'exchanging', 'connected', 'failed')),
      -- what became of it, in a code of the catalogue and in words
      code text,
      message text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz
    );
    create index oauth_flows_expired on oauth_flows (expires_at);

    -- What is known of hosts that tools are called at, across all processes.
    create table outgoing_hosts (
      host text primary key,
      held_until timestamptz,
      held_reason text,
      suspended_at timestamptz,
      suspended_by text,
      suspended_reason text
    );
    -- One row for each call that counts against its host's limit; a slot is free again a minute after its call ended.
    create table outgoing_slots (
      id text primary key,
      host text not null,
      -- who is to have its fair share: an agent, or the owner of a direct call
      share text not null,
      taken_at timestamptz not null,
      -- null while the call is under way, and for ever if its process died
      ended_at timestamptz,
      free_at timestamptz not null
    );
    create index outgoing_slots_host on outgoing_slots (host, free_at);
    -- Calls that were told to ask again later.
    create table outgoing_waits (
      call_id text primary key,
      host text not null,
      share text not null,
      asked_at timestamptz not null,
      ask_again_at timestamptz not null
    );
    create index outgoing_waits_host on outgoing_waits (host, asked_at);

    alter table tool_calls
      -- sends that are known to have done nothing (401, 429): they do not count as attempts that failed
      add harmless integer not null default 0,
      -- the generation of the credential under which the site answered 401 to it
      add refused_generation integer,
      -- an attempt at it may have taken effect, although a later one certainly has not
      add in_doubt boolean not null default false,
      add wait_cause text constraint tool_calls_wait_cause check (wait_cause in ('rate_limit', 'credential')),
      add not_before timestamptz;
    create index tool_calls_parked on tool_calls (run_id, vault_entry_id)
      where wait_cause = 'credential' and status in ('planned', 'started');
    create index tool_calls_open_direct on tool_calls (started_at) where origin = 'direct' and status = 'started';

    alter table runs
      add waiting_cause text constraint runs_waiting_cause check (waiting_cause in ('rate_limit', 'credential')),
      add waiting_for text,
      add waiting_since timestamptz,
      add waiting_until timestamptz;
    create index runs_waiting on runs (waiting_until) where status = 'waiting';
    create index runs_cancelling on runs (cancel_requested_at)
      where status in ('running', 'waiting') and cancel_requested_at is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index runs_cancelling;
    alter table runs drop waiting_cause, drop waiting_for, drop waiting_since, drop waiting_until;
    alter table tool_calls drop harmless, drop refused_generation, drop in_doubt, drop wait_cause, drop not_before;
    drop table outgoing_waits; drop table outgoing_slots; drop table outgoing_hosts;
    drop table oauth_flows; drop table vault_refreshes;
    alter table vault_entries
      drop status, drop status_reason, drop generation, drop client_id, drop scopes, drop expires_at, drop refresh_after,
      drop renewed_at, drop last_used_at, drop manifest_checked_at;
  `)
}
