import type { Database } from '../../src/database/database.ts'
import { systemOwnerId } from '../../src/owners/system-owner.ts'
import type { Prometheus, Sample } from '../helpers/prometheus.ts'

/** A counter, added up over all processes, and the query that counts the same in the record. */
interface Same {
  counter: string
  labels: string[]
  record: string
}

/** Counters leave out what the platform delivers to itself. */
const isOfUsers = `owner_id <> '${systemOwnerId}'`

const calls = `(select effect, status from tool_calls union all select effect, status from direct_tool_calls) calls`

export const sameNumbers: Same[] = [
  {
    counter: 'switchyard_deliveries_total{result="accepted"}',
    labels: [],
    record: `select count(*) as value from runs where trigger = 'webhook' and ${isOfUsers}`,
  },
  {
    counter: 'switchyard_runs_ended_total',
    labels: ['status', 'reason'],
    record: `select status, coalesce(reason, '') as reason, count(*) as value from runs where ended_at is not null and ${isOfUsers} group by 1, 2`,
  },
  {
    counter: 'switchyard_run_seconds_count',
    labels: [],
    record: `select count(*) as value from runs where ended_at is not null and started_at is not null and ${isOfUsers}`,
  },
  {
    counter: 'switchyard_tool_calls_total',
    labels: ['effect', 'outcome'],
    record: `select effect, status as outcome, count(*) as value from ${calls} where status not in ('planned', 'started') group by 1, 2`,
  },
  {
    counter: 'switchyard_tokens_total',
    labels: ['kind'],
    record: `select kind, sum(tokens) as value from steps, lateral (values ('input', input_tokens), ('output', output_tokens),
      ('cached', coalesce(cached_tokens, 0))) as kinds (kind, tokens)
      where not exists (select from runs where id = subject_id and not ${isOfUsers}) group by 1`,
  },
  {
    counter: 'switchyard_credits_total',
    labels: [],
    record: `select -sum(credits) as value from ledger_entries where kind in ('step', 'failed_step', 'chat_step')`,
  },
  {
    counter: 'switchyard_fires_total',
    labels: ['outcome'],
    record: `select outcome, count(*) as value from schedule_fires group by 1`,
  },
  {
    counter: 'switchyard_refresh_total{outcome="refreshed"}',
    labels: [],
    record: `select count(*) as value from vault_refreshes where outcome = 'refreshed'`,
  },
  {
    counter: 'switchyard_chat_answers_ended_total',
    labels: ['status'],
    record: `select status, count(*) as value from chat_answers where ended_at is not null group by 1`,
  },
]

/** `labels` and the number of each series that is not zero, in one order. */
const inWords = (labels: string[], rows: { labels: Record<string, string>; value: number }[]): string[] =>
  rows
    .filter(({ value }) => value !== 0)
    .map((row) => [...labels.map((label) => `${label}=${row.labels[label] ?? ''}`), row.value].join(' '))
    .toSorted()

export async function counted(prometheus: Prometheus, { counter, labels }: Same): Promise<string[]> {
  const samples = await prometheus.query(`sum by (${labels.join(', ')}) (${counter})`)
  return inWords(
    labels,
    samples.map(({ metric, value }: Sample) => ({ labels: metric, value })),
  )
}

export async function recorded(database: Database, { record, labels }: Same): Promise<string[]> {
  const { rows } = await database.raw<{ rows: Record<string, string>[] }>(record)
  return inWords(
    labels,
    rows.map((row) => ({ labels: row, value: Number(row['value']) })),
  )
}
