import * as billing from '../../api/billing.ts'
import * as statements from '../../api/statements.ts'
import type { Database } from '../../src/database/database.ts'
import { call } from '../helpers/client.ts'
import type { Payer } from './operations.ts'

/**
 * What must hold of money at every moment at which nothing is under way, as queries for what contradicts it. Each is
 * empty if all is well.
 */
const violations: Record<string, string> = {
  'the balance is the sum of the ledger': `
    select a.owner_id, a.balance, sum(e.credits) from accounts a left join ledger_entries e on e.owner_id = a.owner_id
     group by a.owner_id having a.balance <> coalesce(sum(e.credits), 0)`,
  'what is left of the grants is the balance, or nothing of a debt': `
    select a.owner_id, a.balance, sum(g.remaining) from accounts a left join credit_grants g on g.owner_id = a.owner_id
     group by a.owner_id having greatest(a.balance, 0) <> coalesce(sum(g.remaining), 0)`,
  'each step of a run or a chat is charged once, with what it says': `
    select s.subject_id, s.step, s.credits, count(e.id), sum(e.credits) from steps s
      left join ledger_entries e on e.step = s.step and (e.run_id = s.subject_id and e.kind = 'step'
                                                         or e.answer_id = s.subject_id and e.kind = 'chat_step')
     group by s.subject_id, s.step, s.credits having count(e.id) <> 1 or -sum(e.credits) <> s.credits`,
  'nothing but steps of runs is charged as such': `
    select e.id from ledger_entries e left join steps s on s.subject_id = e.run_id and s.step = e.step
     where e.kind = 'step' and s.subject_id is null`,
  'a run says what its entries add up to': `
    select r.id, r.credits, sum(e.credits) from runs r left join ledger_entries e on e.run_id = r.id
     group by r.id, r.credits having r.credits <> coalesce(-sum(e.credits), 0)`,
  'a run that is completed was charged': `
    select r.id from runs r where r.status = 'completed'
       and not exists (select from ledger_entries e where e.run_id = r.id and e.kind = 'step' and e.credits < 0)`,
  'an answer that is completed was charged': `
    select a.id from chat_answers a where a.status = 'completed'
       and not exists (select from ledger_entries e where e.answer_id = a.id and e.kind = 'chat_step' and e.credits < 0)`,
  'no hold is left': 'select * from credit_holds',
  'no payment is left open': `select id, owner_id from payments where status = 'pending'`,
  'each payment of credits that is paid has granted them, once, and no other has': `
    select p.id, p.status, p.credits, count(e.id), sum(e.credits) from payments p
      left join ledger_entries e on e.payment_id = p.id and e.kind in ('purchase', 'top_up')
     where p.purpose <> 'subscription'
     group by p.id, p.status, p.credits
    having (p.status = 'paid' and (count(e.id) <> 1 or sum(e.credits) <> p.credits))
        or (p.status <> 'paid' and count(e.id) <> 0)`,
  'the gateway has charged each payment once, and nothing else': `
    select s.owner_id, s.reference, s.key, s.status, p.status from sandbox_payments s
      full join payments p on p.reference = s.reference and p.owner_id = s.owner_id
     where (s.reference is null and p.status = 'paid')
        or (p.id is null and s.status = 'paid')
        or s.cents <> p.cents or s.from_credit_cents <> p.from_credit_cents or (s.status = 'paid') <> (p.status = 'paid')`,
  'what is credited is what was credited, less what was paid from it, and the gateway says the same': `
    select a.owner_id, a.credit_cents, c.credit_cents as told, sum(least(p.cents, 0) + p.from_credit_cents) as paid
      from accounts a left join sandbox_customers c on c.owner_id = a.owner_id
      left join payments p on p.owner_id = a.owner_id
     group by a.owner_id, a.credit_cents, c.credit_cents
    having a.credit_cents <> coalesce(c.credit_cents, 0)
        or a.credit_cents <> coalesce(-sum(least(p.cents, 0) + p.from_credit_cents), 0)`,
  'the gateway has made no two payments of one key': `
    select owner_id, key from sandbox_payments where key is not null group by owner_id, key having count(*) > 1`,
  'months of agents are what their entries add up to': `
    select m.subject_id, m.month, m.credits, sum(e.credits) from credit_months m join agents a on a.id = m.subject_id
      left join ledger_entries e on e.agent_id = m.subject_id
       and date_trunc('month', e.created_at at time zone 'utc')::date = m.month
     group by m.subject_id, m.month, m.credits having m.credits <> coalesce(-sum(e.credits), 0)`,
  'a grant gives what it has, and not more': `
    select g.id, g.credits, g.remaining from credit_grants g where g.remaining < 0 or g.remaining > g.credits`,
}

/** What contradicts the rules, in words. */
export async function contradictionsIn(database: Database): Promise<string[]> {
  const found: string[] = []
  for (const [rule, query] of Object.entries(violations)) {
    const { rows } = await database.raw<{ rows: object[] }>(query)
    if (rows.length > 0) found.push(`${rule}: ${rows.length} do not, for example ${JSON.stringify(rows[0])}`)
  }
  return found
}

/** Whether the statements of all months add up to the balance, and each goes on where the one before has ended. */
export async function problemsOfStatements({ someone, workspaceId }: Payer): Promise<string[]> {
  const problems: string[] = []
  const { balance } = (await call(someone, billing.getBilling)).body
  const months = (await call(someone, statements.listStatements)).body.items.map(({ month }) => month).toSorted()
  let closing = 0
  for (const month of months) {
    const { body } = await call(someone, statements.getStatement, { params: { month } })
    if (body.opening !== closing) problems.push(`${month} opens with ${body.opening}, after ${closing}`)
    const sum = body.lines.reduce((total, { credits }) => total + credits, body.opening)
    if (sum !== body.closing) problems.push(`${month} adds up to ${sum}, and closes with ${body.closing}`)
    closing = body.closing
  }
  if (closing !== balance) problems.push(`the last one closes with ${closing}, the balance is ${balance}`)
  const used = await usedBy(someone, workspaceId)
  if (used.lines !== used.closing) problems.push(`those of the workspace add up to ${used.lines}, not ${used.closing}`)
  return problems
}

async function usedBy(someone: Payer['someone'], workspaceId: string) {
  const months = (await call(someone, statements.listStatements, { query: { workspaceId } })).body.items
  const total = { lines: 0, closing: 0 }
  for (const { month } of months) {
    const { body } = await call(someone, statements.getStatement, { params: { month }, query: { workspaceId } })
    total.lines += body.lines.reduce((sum, { credits }) => sum + credits, 0)
    total.closing += body.closing
  }
  return total
}
