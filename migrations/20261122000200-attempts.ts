import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs
      -- the model call of the step that is not on record yet: the latest attempt, counted from 1, and when it began
      add column attempt integer not null default 0,
      add column attempted_at timestamptz,
      -- the latest attempt that is known to have failed, how, and when its provider wants to be asked again
      add column failed_attempt integer,
      add column failed_at timestamptz,
      add column failure text,
      add column retry_at timestamptz;
    alter table tool_calls
      -- the latest attempt that is known to have failed; one that was begun and has not failed may have been lost
      add column failed_attempt integer;

    update runs r
       set attempt = e.attempt, attempted_at = e.attempted_at, failed_attempt = e.failed_attempt
      from (select run_id, (data->>'step')::int as step,
                   coalesce(max((data->>'attempt')::int) filter (where kind = 'step.started'), 0) as attempt,
                   max(at) filter (where kind = 'step.started') as attempted_at,
                   max((data->>'attempt')::int) filter (where kind = 'step.failed') as failed_attempt
              from run_events
             where kind in ('step.started', 'step.failed')
             group by run_id, (data->>'step')::int) e
     where r.ended_at is null and e.run_id = r.id and e.step = r.steps + 1;
    update tool_calls c
       set failed_attempt = (select max((e.data->>'attempt')::int) from run_events e
                              where e.run_id = c.run_id and e.kind = 'tool.failed' and e.data->>'callId' = c.id)
     where c.status in ('planned', 'started') and c.run_id is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table tool_calls drop column failed_attempt;
    alter table runs drop column attempt, drop column attempted_at, drop column failed_attempt, drop column failed_at,
      drop column failure, drop column retry_at;
  `)
}
