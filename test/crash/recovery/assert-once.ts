import type { ExecutionContext } from 'ava'
import type { LoggedRequest } from '../../../examples/sites/request-log.ts'
import type { Database } from '../../../src/database/database.ts'
import { measured } from '../record.ts'

interface RecordedCall {
  key: string
  status: string
  attempts: number
  result: string | null
}

const callsStatement = `
  select subject_id || ':' || step || ':' || position as key, status, attempts, result
    from tool_calls where effect = 'once'`

/**
 * No call that must not be repeated came to the site twice: by the site's own log, in which each call has its id, and by
 * the record, which knows each of them and has been told of each outcome that it shows. `lost` are calls that a restored
 * record need not know.
 */
export async function assertOnce(
  t: ExecutionContext,
  { requests, database, lost = new Set() }: { requests: LoggedRequest[]; database: Database; lost?: Set<string> },
): Promise<void> {
  t.true(requests.length > 0, 'calls came to the site')
  const seen = Map.groupBy(requests, ({ idempotencyKey }) => String(idempotencyKey))
  const { rows } = await database.raw<{ rows: RecordedCall[] }>(callsStatement)
  const recorded = new Map(rows.map((row) => [row.key, row]))
  const twice = [...seen].filter(([, calls]) => calls.length > 1).map(([key]) => key)
  t.deepEqual(twice, [], 'no call came to the site twice')
  const unknownToRecord = [...seen.keys()].filter((key) => !recorded.has(key) && !lost.has(key))
  t.deepEqual(unknownToRecord, [], 'the record knows every call that came to the site')
  const repeated = rows.filter(({ attempts }) => attempts > 1)
  t.deepEqual(repeated, [], 'the record shows no second attempt')
  const invented = rows.filter(({ key, status }) => status === 'succeeded' && !seen.has(key))
  t.deepEqual(invented, [], 'what the record shows as succeeded came to the site')
  const failed = rows.filter(({ status }) => status === 'failed')
  t.deepEqual(failed.slice(0, 3), [], `${failed.length} calls failed`)
  const count = (status: string) => rows.filter((row) => row.status === status).length
  measured(
    t,
    `${requests.length} calls came to the site, 0 of them twice; the record: ${count('succeeded')} succeeded, ${count('unknown')} in doubt`,
  )
}

/** Each run completed with all of its calls, and none began before the one ahead of it had ended. */
export async function assertInOrder(t: ExecutionContext, database: Database, callsEach: number): Promise<void> {
  const statuses: string[] = await database('runs').distinct('status').pluck('status')
  t.deepEqual(statuses, ['completed'])
  const { rows: others } = await database.raw<{ rows: unknown[] }>(othersStatement, { callsEach })
  t.deepEqual(others, [], 'each run planned each of its calls once')
  const { rows: overtaken } = await database.raw<{ rows: unknown[] }>(overtakenStatement)
  t.deepEqual(overtaken, [], 'no run began before the one ahead of it had ended')
}

const othersStatement = `
  select r.id, count(c.id)::int as calls from runs r left join tool_calls c on c.subject_id = r.id
   group by r.id having count(c.id) <> :callsEach`

const overtakenStatement = `
  select id, sequence from (
    select id, sequence, started_at, lag(ended_at) over (partition by agent_id order by sequence) as before from runs
  ) ordered where started_at < before`
