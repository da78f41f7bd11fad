import { Client } from 'pg'

const copied = `agent_id, owner_id, trigger, status, epoch, steps, step_attempts, attempt, tool_calls, credits, request_id,
  input_tokens, output_tokens, started_at, ended_at, progressed_at`

/** Copies an ended run as often as that: the lists do not read what else belongs to a run. */
export async function copyRun(database: string, runId: string, count: number): Promise<void> {
  await within(database, async (client) => {
    await client.query(
      `insert into runs (${copied}, id, sequence, events, accepted_at)
       select ${copied}, gen_random_uuid(), sequence + n, 1, accepted_at - n * interval '1 second'
       from runs, generate_series(1, $2::int) n where id = $1`,
      [runId, count],
    )
    await client.query(
      'update agent_queues set last_sequence = last_sequence + $2 where agent_id = (select agent_id from runs where id = $1)',
      [runId, count],
    )
    await client.query('vacuum analyze runs')
  })
}

/** Puts waits before the last event of an ended run, until its timeline has this many events. */
export async function lengthen(database: string, runId: string, events: number): Promise<void> {
  await within(database, async (client) => {
    const { rows } = await client.query<{ last: number; at: Date }>(
      'select number as last, at from run_events where run_id = $1 order by number desc limit 1',
      [runId],
    )
    const { last, at } = rows[0]!
    await client.query('update run_events set number = $2 where run_id = $1 and number = $3', [runId, events, last])
    await client.query(
      `insert into run_events (run_id, number, kind, at, data)
       select $1, n, case when n % 2 = 0 then 'wait.started' else 'wait.ended' end, $4,
         case when n % 2 = 0
           then json_build_object('cause', 'rate_limit', 'site', 'https://shop.example', 'until', $4::timestamptz, 'calls', 1, 'note', '')
           else json_build_object('cause', 'rate_limit', 'ms', 1000) end
       from generate_series($2::int, $3::int) n`,
      [runId, last, events - 1, at],
    )
    await client.query('update runs set events = $2 where id = $1', [runId, events])
  })
}

async function within(connectionString: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
