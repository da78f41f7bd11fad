import type { Knex } from 'knex'
import { accepting } from './baseline/accepting.ts'

export const name = '202611290340-trace-context'

/**
 * Keeps with a run the span in which it was accepted, and with a connection whether its site is told of spans. Processes
 * of the release before leave the span out, and `accept_runs` takes their requests as they are.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs add column traceparent text;
    alter table vault_entries add column trace_context boolean not null default true;`)
  await knex.raw(acceptRuns)
}

export async function down(knex: Knex): Promise<void> {
  const before = accepting.slice(accepting.indexOf('create function accept_runs'))
  await knex.raw(before.replace('create function', 'create or replace function'))
  await knex.raw(`
    alter table vault_entries drop column trace_context;
    alter table runs drop column traceparent;`)
}

/** As in the baseline, with `trace` and the column that it goes to. */
const acceptRuns = `
  -- Accepts requests for runs, or says why not. Locks the queues of the agents in the order of their ids. Without
  -- \`waits\`, it leaves out the ones that are locked elsewhere. Verdicts:
  --   new       a run was created: queued, or skipped
  --   repeated  a run was accepted earlier under the key
  --   gone      the agent does not exist, or not at this owner
  --   locked    another transaction holds the queue
  --   stale     the delivery was judged by a version or for a time that has ended
  --   busy      the agent has unfinished runs, and the request must not wait
  --   full      the queue has no room, not even for the repeat of a delivery
  --   again     another request of the batch must be decided first
  create or replace function accept_runs(requests json, agent_ids uuid[], moment timestamptz, due timestamptz, depth bigint,
                              waits boolean)
    returns table (place integer, verdict text, run_id uuid, status run_status, sequence bigint, ahead bigint,
                   owner_id uuid, body_hash text, wakes text)
    language plpgsql
    -- Planned once per connection, and possibly while its tables are empty. It must still use their indexes.
    set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    free uuid[];
  begin
    if waits then
      free := array(select q.agent_id from agent_queues q join agents a on a.id = q.agent_id
                     where q.agent_id = any(agent_ids) and a.deleted_at is null
                     order by q.agent_id for update of q for share of a);
    else
      free := array(select q.agent_id from agent_queues q join agents a on a.id = q.agent_id
                     where q.agent_id = any(agent_ids) and a.deleted_at is null
                     order by q.agent_id for update of q skip locked for share of a skip locked);
    end if;
    -- This statement's snapshot is later than the locks, so it sees everything that was committed before them.
    return query
    with asked as materialized (
      select r.*, row_number() over (partition by r.agent, r.key order by r.place) as turn_of_key,
             row_number() over (partition by r.agent order by r.place) as turn,
             bool_or(r.mode is not null) over (partition by r.agent) as is_single
        from json_to_recordset(requests) as r (place integer, id uuid, agent uuid, owner uuid, version text,
               tokens float8, until timestamptz, trigger run_trigger, mode text, request text, trace text, payload text, action text, headers json,
               key text, hash text, replay uuid, edited boolean, overlap text)
    ), judged as materialized (
      select r.*, a.owner_id, a.name, q.last_sequence, q.unfinished, q.awake, q.blocked_cause, k.run_id as known,
             k.body_hash,
             case when q.agent_id is null and exists (select from agents x where x.id = r.agent and x.deleted_at is null)
                    then 'locked'
                  when q.agent_id is null and r.version is not null then 'stale'
                  when q.agent_id is null or r.owner <> a.owner_id then 'gone'
                  when r.is_single and r.turn > 1 or r.turn_of_key > 1 and r.key is not null and k.run_id is null
                    then 'again'
                  when r.version <> v.version or r.tokens <= v.tokens or r.until <= moment then 'stale'
                  when r.version is not null and q.unfinished >= depth then 'full'
                  when k.run_id is not null then 'repeated'
                  when r.mode = 'if_idle' and q.unfinished > 0 then 'busy'
                  else 'new'
             end as verdict
        from asked r
        left join agent_queues q on q.agent_id = r.agent and q.agent_id = any(free)
        left join agents a on a.id = q.agent_id
        left join delivery_versions(array(select distinct agent from asked where version is not null), moment) v
          on v.agent_id = r.agent and r.version is not null
        left join lateral (select k.run_id, k.body_hash from idempotency_keys k
                            where k.agent_id = r.agent and k.key = r.key limit 1) k on r.key is not null
    ), fresh as materialized (
      select n.*, n.last_sequence + n.rank as sequence, n.unfinished + n.rank - 1 as ahead,
             n.mode is not distinct from 'skip' and n.unfinished > 0 as is_skipped
        from (select j.*, row_number() over (partition by j.agent order by j.place) as rank
                from judged j where j.verdict = 'new') n
       where n.unfinished + n.rank <= depth or n.mode = 'skip' and n.unfinished > 0
    ), changed as materialized (
      select f.agent, max(f.sequence) as last_sequence, max(f.unfinished) + count(*) filter (where not f.is_skipped) as unfinished,
             min(f.place) as place, bool_and(not f.awake and f.blocked_cause is null) as is_woken
        from fresh f group by f.agent
    ), stored as (
      insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, traceparent, replay_of, first_run_id,
                        accepted_at, progressed_at, events, ended_at, reason, error)
      select f.id, f.agent, f.owner_id, f.sequence, f.trigger,
             case when f.is_skipped then 'skipped' else 'queued' end::run_status, f.request, f.trace, f.replay,
             case when f.replay is not null
                  then coalesce((select r.first_run_id from runs r where r.id = f.replay), f.replay) end,
             moment, moment, case when f.is_skipped then 2 else 1 end, case when f.is_skipped then moment end,
             case when f.is_skipped then 'OVERLAP' end,
             case when f.is_skipped then f.overlap end
        from fresh f
    ), given as (
      insert into run_inputs (run_id, payload, action, headers)
      select f.id, f.payload, f.action, f.headers from fresh f where f.payload is not null
    ), keyed as (
      insert into idempotency_keys (agent_id, key, run_id, body_hash)
      select f.agent, f.key, f.id, decode(f.hash, 'hex') from fresh f where f.key is not null
    ), noted as (
      insert into run_events (run_id, number, kind, at, data)
      select f.id, 1, 'accepted', moment,
             json_strip_nulls(json_build_object('trigger', f.trigger, 'sequence', f.sequence,
                                                'ahead', nullif(f.ahead, 0), 'replayOf', f.replay, 'edited', f.edited))
        from fresh f
    ), noted_ending as (
      insert into run_events (run_id, number, kind, at, data)
      select f.id, 2, 'ended', moment,
             json_build_object('status', 'skipped', 'reason', 'OVERLAP', 'message', f.overlap)
        from fresh f where f.is_skipped
    ), due as (
      -- in case the signal after the commit is lost
      insert into due_agents (agent_id, due_at) select c.agent, due from changed c where c.is_woken
    ), counted as (
      update agent_queues q
         set last_sequence = c.last_sequence, unfinished = c.unfinished,
             awake = q.awake or (c.unfinished > 0 and q.blocked_cause is null),
             progressed_at = case when q.awake then q.progressed_at else moment end,
             signalled_at = case when q.awake then q.signalled_at else moment end
        from changed c where q.agent_id = c.agent
    )
    select j.place, case when j.verdict = 'new' and f.place is null then 'full' else j.verdict end,
           coalesce(f.id, j.known),
           case when f.is_skipped then 'skipped' when f.id is not null then 'queued' else r.status end::run_status,
           coalesce(f.sequence, r.sequence),
           coalesce(f.ahead, (select coalesce((e.data ->> 'ahead')::bigint, 0) from run_events e
                               where e.run_id = j.known and e.number = 1), 0),
           coalesce(f.owner_id, r.owner_id), encode(j.body_hash, 'hex'),
           case when c.is_woken then j.name end
      from judged j
      left join fresh f on f.place = j.place
      left join changed c on c.place = j.place
      left join lateral (select r.status, r.sequence, r.owner_id from runs r where r.id = j.known limit 1) r
        on j.verdict = 'repeated'
     order by j.place;
  end
  $$;
`
