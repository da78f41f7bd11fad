import type { Config } from '../config/config.ts'
import { commandName } from '../database/database.ts'
import { canaryQuiet, canaryUp } from '../canary/canary-sql.ts'
import { loopLimits, quietLoops } from '../processes/presence-sql.ts'

/** An attempt of the time before the canary was turned off says nothing. */
const canaryIsOn = ({ canary }: Pick<Config, 'canary'>): boolean => canary.everySeconds > 0

/** A gauge about the record, read from Postgres. */
export interface RecordGauge {
  name: string
  help: string
  /** Whether the settings leave anything to measure; absent: always. */
  isOn?: (config: Pick<Config, 'canary'>) => boolean
  /** The columns of the query that are labels. */
  labels?: readonly string[]
  /** Returns rows with the number `value` and the labels. It has a second, and must be cheap with millions of runs. */
  query: string
}

/** Seconds since a time, and 0 for none and for times to come. */
const secondsSince = (time: string): string => `greatest(coalesce(extract(epoch from now() - ${time}), 0), 0)`

const states = `(values ('queued'), ('running'), ('waiting')) as states (status)`
const causes = `(values ('rate_limit'), ('credential'), ('approval'), ('job'), ('paused'), ('credits'), ('model')) as causes (cause)`

/** The gauges about the record. Every API process answers with the same numbers, so alerts take the maximum. */
export const recordGauges: readonly RecordGauge[] = [
  {
    name: 'switchyard_workers',
    help: 'Workers that are present and poll Temporal.',
    query: `select count(*) as value from workers where polling and seen_at > now() - interval '15 seconds'`,
  },
  {
    name: 'switchyard_runs',
    help: 'Unfinished runs, by status.',
    labels: ['status'],
    // The queued ones are counted by their queues, because there may be very many.
    query: `
      with active as (select status::text as status, count(*) from runs where status in ('running', 'waiting') group by 1)
      select states.status, case when states.status = 'queued'
               then greatest((select coalesce(sum(unfinished), 0) from agent_queues)
                             - (select coalesce(sum(count), 0) from active), 0)
               else coalesce((select count from active where active.status = states.status), 0) end as value
        from ${states}`,
  },
  {
    name: 'switchyard_queue_oldest_seconds',
    help: 'The longest time that a queue has had a run to start and nothing in its way, and has not started it.',
    query: `
      select ${secondsSince('min(greatest(oldest.accepted_at, queues.progressed_at))')} as value
        from agent_queues queues cross join lateral (
          select accepted_at from runs
           where agent_id = queues.agent_id and status in ('queued', 'running', 'waiting')
           order by sequence limit 1) oldest
       where queues.unfinished > 0 and queues.running_run_id is null and queues.blocked_cause is null`,
  },
  {
    name: 'switchyard_due_agents_oldest_seconds',
    help: 'The longest time that the reconciler is late with an agent.',
    query: `select ${secondsSince('min(due_at)')} as value from due_agents`,
  },
  {
    name: 'switchyard_waiting',
    help: 'Waiting runs, by cause.',
    labels: ['cause'],
    query: `
      select causes.cause, count(runs.id) as value
        from ${causes} left join runs on runs.waiting_cause = causes.cause and runs.status = 'waiting'
       group by causes.cause`,
  },
  {
    name: 'switchyard_waiting_oldest_seconds',
    help: 'The longest wait of a run that waits now, by cause.',
    labels: ['cause'],
    query: `
      select causes.cause, ${secondsSince('min(runs.waiting_since)')} as value
        from ${causes} left join runs on runs.waiting_cause = causes.cause and runs.status = 'waiting'
       group by causes.cause`,
  },
  {
    name: 'switchyard_chat_answers',
    help: 'Chat answers that have not ended, by status.',
    labels: ['status'],
    query: `
      select states.status, count(answers.id) as value
        from ${states} left join chat_answers answers on answers.status = states.status and answers.ended_at is null
       group by states.status`,
  },
  {
    name: 'switchyard_chat_answers_oldest_seconds',
    help: 'The age of the oldest chat answer that has not ended, by status.',
    labels: ['status'],
    query: `
      select states.status, ${secondsSince('min(answers.created_at)')} as value
        from ${states} left join chat_answers answers on answers.status = states.status and answers.ended_at is null
       group by states.status`,
  },
  {
    name: 'switchyard_model_outages',
    help: '1 for each model that is unavailable. Models that are available have no series.',
    labels: ['model'],
    query: `select model, 1 as value from model_outages where ended_at is null`,
  },
  {
    name: 'switchyard_credentials',
    help: 'Connected sites, by status. The owners of needs_reauth must connect them again.',
    labels: ['status'],
    query: `
      select states.status, count(entries.id) as value
        from (values ('connected'), ('needs_reauth')) as states (status)
        left join vault_entries entries on entries.status = states.status
       group by states.status`,
  },
  {
    name: 'switchyard_silent_agents',
    help: 'Agents whose usual deliveries do not come. Their owners have been notified.',
    query: `
      select count(*) as value from delivery_habits h join agents a on a.id = h.agent_id
       where h.silent_since is not null and a.trigger = 'webhook' and a.watch_silence and a.paused_at is null
         and a.deleted_at is null`,
  },
  {
    name: 'switchyard_canary_up',
    help: '1 while a delivery passes through the platform, no process is frozen and no loop is dead. Absent while the canary is off.',
    isOn: canaryIsOn,
    query: canaryUp,
  },
  {
    name: 'switchyard_canary_last_success_seconds',
    help: 'Seconds since a delivery of the canary was accepted, run and called back.',
    isOn: canaryIsOn,
    query: canaryQuiet,
  },
  {
    name: 'switchyard_loop_last_round_seconds',
    help: 'The longest time that a loop of a present process has given no sign of life.',
    labels: ['loop'],
    query: quietLoops,
  },
  {
    name: 'switchyard_loop_limit_seconds',
    help: 'The time without a sign of life after which a loop is dead.',
    labels: ['loop'],
    query: loopLimits,
  },
  {
    name: 'switchyard_backup_age_seconds',
    help: 'Seconds since the last successful backup, or since the schema was made if there is none.',
    query: `
      select ${secondsSince('coalesce(max(ended_at), (select min(migration_time) from migrations))')} as value
        from backups where error is null`,
  },
  {
    name: 'switchyard_hosts_held',
    help: 'Hosts that asked for a pause.',
    query: `select count(*) as value from outgoing_hosts where held_until > now()`,
  },
  {
    name: 'switchyard_callbacks_pending_oldest_seconds',
    help: 'The longest time that an attempt to post a callback is late.',
    query: `select ${secondsSince('min(next_at)')} as value from callbacks where status = 'pending'`,
  },
  {
    name: 'switchyard_mails_pending_oldest_seconds',
    help: 'The longest time that an attempt to send a notification by email is late.',
    query: `select ${secondsSince('min(mail_next_at)')} as value from notifications where mail_status = 'pending'`,
  },
  {
    name: 'switchyard_database_connections',
    help: 'Connections to the Postgres server, also of other programs.',
    query: `select count(*) as value from pg_stat_activity where datname is not null`,
  },
  {
    name: 'switchyard_database_connections_max',
    help: 'Connections that Postgres allows to users without special rights.',
    query: `
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
               - current_setting('reserved_connections')::int as value`,
  },
  {
    name: 'switchyard_database_transaction_oldest_seconds',
    help: 'The age of the oldest transaction of a client in the database, without those of commands. Postgres shows those of other users only to members of pg_read_all_stats.',
    query: `
      select ${secondsSince('min(xact_start)')} as value
        from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and application_name <> '${commandName}'`,
  },
]
