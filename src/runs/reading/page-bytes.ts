import type { Database } from '../../database/database.ts'
import { fittingCount } from '../../database/page-bytes.ts'
import type { RunEvent } from '../timeline.ts'

/** How many of these consecutive events fit on one page by size; at least one. */
export async function countThatFit(database: Database, runId: string, events: RunEvent[]): Promise<number> {
  const [first] = events
  if (!first) return 0
  const bindings = { runId, from: first.number, to: first.number + events.length - 1 }
  const { rows } = await database.raw<{ rows: { bytes: number | null }[] }>(sizesStatement, bindings)
  return fittingCount(rows.map(({ bytes }) => bytes ?? 0))
}

/** Postgres knows the length of stored texts without reading them. */
const sizesStatement = `
  select case when e.kind = 'accepted' then octet_length(i.payload)
              when e.kind = 'started' then octet_length(i.action)
              when e.kind = 'step.finished' then octet_length(s.answer) + coalesce(octet_length(s.output), 0)
              when e.kind = 'tool.finished' then octet_length(c.arguments) + coalesce(octet_length(c.result), 0)
              else octet_length(c.arguments)
         end as bytes
    from run_events e
    left join run_inputs i on e.kind in ('accepted', 'started') and i.run_id = :runId
    left join steps s on e.kind = 'step.finished' and s.subject_id = :runId and s.step = (e.data->>'step')::int
    left join tool_calls c on c.subject_id = :runId and c.id = (e.data->>'callId')::uuid
   where e.run_id = :runId and e.number between :from and :to
   order by e.number`
