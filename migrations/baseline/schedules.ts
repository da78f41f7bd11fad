/** The schedules that Temporal must know, and the ledger of their fires. */
export const schedules = `
  -- One row per agent that is or was scheduled.
  create table schedules (
    agent_id uuid not null,
    -- since when the current expression and zone are in force
    in_force_since timestamptz not null,
    -- every nominal fire up to here has its row
    recorded_until timestamptz not null,
    -- the first nominal fire after that; null while the agent is not scheduled
    next_fire_at timestamptz,
    -- when it was last compared with Temporal
    checked_at timestamptz,
    -- raised by every change that Temporal must know: expression, zone, pause, trigger, deletion
    generation integer not null,
    -- the generation that Temporal is known to have
    synced_generation integer not null default 0,
    -- fires at or before recorded_until without a row: due before the last change, and fires of the current state
    owed timestamptz[] not null default '{}',
    constraint schedules_pkey primary key (agent_id),
    constraint schedules_agent_fk foreign key (agent_id) references agents (id)
  );
  create index schedules_unsynced on schedules (agent_id) where synced_generation < generation;
  create index schedules_due on schedules (next_fire_at) where next_fire_at is not null;

  -- One row per nominal fire.
  create table schedule_fires (
    agent_id uuid not null,
    owner_id uuid not null,
    run_id uuid,
    nominal_at timestamptz not null,
    recorded_at timestamptz not null,
    outcome text not null,
    reason text,
    constraint schedule_fires_pkey primary key (agent_id, nominal_at),
    constraint schedule_fires_agent_fk foreign key (agent_id) references agents (id),
    constraint schedule_fires_outcome check (outcome in ('ran', 'skipped', 'missed')),
    constraint schedule_fires_reason check ((reason is null) = (outcome = 'ran'))
  );
  create index schedule_fires_owner on schedule_fires (owner_id);
  create index schedule_fires_recorded on schedule_fires (recorded_at);
  -- Owners are notified of these. The loop that finds them must not read all others of the day.
  create index schedule_fires_missed on schedule_fires (recorded_at)
    where reason in ('LATE', 'NOT_FIRED', 'NO_CREDITS');
  create index schedule_fires_filter on schedule_fires (agent_id, outcome, nominal_at);
`
