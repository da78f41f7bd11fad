import type { Client } from 'pg'
import type { Evidence } from './evidence.ts'

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`

/** The record's tables in the form in which the judge reads them. */
const statements = {
  runs: `
    select r.id, r.agent_id as "agentId", r.sequence::int, coalesce(i.payload::json ->> 'key', regexp_replace(k.key, '^manual ', '')) as key, r.status, r.reason,
           ${ms('r.started_at')} as "startedAt", ${ms('r.ended_at')} as "endedAt"
      from runs r left join idempotency_keys k on k.run_id = r.id left join run_inputs i on i.run_id = r.id`,
  answers: `
    select a.id, a.message_id as "messageId", m.client_id as "clientId", a.status, a.error_code as "errorCode",
           a.on_disconnect as "onDisconnect",
           ${ms('a.ended_at')} as "endedAt"
      from chat_answers a join chat_messages m on m.id = a.message_id`,
  calls: `
    select c.subject_id as "subjectId", c.step, c.id, c.effect, c.status, coalesce(c.tool, c.name) as tool, c.attempts,
           ${ms('c.started_at')} as "startedAt", ${ms('c.ended_at')} as "endedAt",
           case when c.tool = 'note' then c.arguments::json ->> 'mark'
                when r.id is null then 'chat:' || c.id
                else concat_ws(':', c.subject_id, c.step, c.position) end as key
      from tool_calls c left join runs r on r.id = c.subject_id
     union all
    select null, 0, d.id, d.effect, d.status, d.tool, d.attempts, ${ms('d.started_at')}, ${ms('d.ended_at')}, 'direct:' || d.id
      from direct_tool_calls d`,
  steps: 'select subject_id as "subjectId", step, credits from steps',
  accounts: 'select owner_id as "ownerId", balance::int from accounts',
  entries: `
    select id, owner_id as "ownerId", credits::int, kind, run_id as "runId", answer_id as "answerId", step, attempt,
           payment_id as "paymentId"
      from ledger_entries`,
  approvals: 'select id, status from approvals',
  payments: `
    select id, owner_id as "ownerId", purpose, status, credits::int, cents::int, reference, request_key as "requestKey"
      from payments`,
  charges: 'select owner_id as "ownerId", reference, key, status, cents::int from sandbox_payments',
  fires: `
    select agent_id as "agentId", run_id as "runId", ${ms('nominal_at')} as "nominalAt", outcome, reason
      from schedule_fires`,
  refreshes: `
    select entry_id as "entryId", generation, outcome, ${ms('started_at')} as "startedAt", ${ms('ended_at')} as "endedAt"
      from vault_refreshes`,
  holds: 'select subject_id as id from credit_holds',
} as const

type Tables = keyof typeof statements
type FromRecord = Pick<Evidence, Tables>

export async function readRecord(client: Client): Promise<FromRecord> {
  const rows: Partial<Record<Tables, object[]>> = {}
  for (const [name, statement] of Object.entries(statements)) {
    rows[name as Tables] = (await client.query<object>(statement)).rows
  }
  const holds = (rows.holds as { id: string }[]).map(({ id }) => id)
  return { ...(rows as Omit<FromRecord, 'holds'>), holds }
}
