import test from 'ava'
import { monthOf, monthStart } from '../../../../src/billing/ledger/forecast.ts'
import { maxLines } from '../../../../src/billing/ledger/statements.ts'
import { later } from '../../../../src/clock.ts'
import { newId } from '../../../../src/ids.ts'
import { billingForFile } from '../open-billing.ts'

const openNow = billingForFile(test, 'now')

/** An account whose clock is set to a time in a later month. */
async function open() {
  const money = await openNow()
  const { billing, database, clock, userId } = money
  const { credits } = billing
  await database.transaction((trx) => credits.locked(userId, trx))

  /** Sets the account's clock to a day of one of the months to come. */
  async function travel(months: number, days: number): Promise<Date> {
    const at = later(monthStart(clock.now(), months), days * 86_400)
    const clockSeconds = Math.floor((at.getTime() - clock.now().getTime()) / 1000)
    await database('accounts').where({ ownerId: userId }).update({ clockSeconds })
    return at
  }
  const nameOf = (months: number) => monthOf(monthStart(clock.now(), months))

  const give = (given: Parameters<typeof credits.grant>[2]) =>
    database.transaction((trx) => credits.grant(trx, userId, given))
  const chargeAgent = (agentId: string, amount: number) =>
    database.transaction((trx) =>
      credits.chargeStep(trx, { ownerId: userId, agentId, runId: newId(), step: 1, credits: amount, tokens: 0 }),
    )
  return { ...money, ...billing, travel, nameOf, give, chargeAgent }
}

// @promise charges
test('each statement adds up, begins where the one before ends, and the last one ends with the balance', async (t) => {
  const { billing, statements, charge, userId, travel, nameOf, give, chargeAgent } = await open()
  const [agentId, other] = [newId(), newId()]
  const now = await travel(1, 3)
  await give({ kind: 'promotion', credits: 30, expiresAt: later(now, 35 * 86_400) })
  for (const amount of [3, 4, 5]) await chargeAgent(agentId, amount)
  await chargeAgent(other, 6)
  await travel(2, 2)
  await give({ kind: 'purchase', credits: 100, paymentId: newId() })
  await chargeAgent(agentId, 7)
  await travel(2, 20)
  await charge(userId, 700)
  await travel(4, 1)
  const { balance } = await billing.account(userId)
  const months = await statements.months(userId)
  t.deepEqual(months, [4, 3, 2, 1, 0].map(nameOf))
  let opening = 0
  for (const month of months.toReversed()) {
    const statement = await statements.ofMonth(userId, month)
    t.is(statement.opening, opening, month)
    const added = statement.lines.reduce((sum, line) => sum + line.credits, 0)
    t.is(statement.closing, opening + added)
    opening = statement.closing
  }
  t.is(opening, balance)
  const { lines } = await statements.ofMonth(userId, nameOf(1))
  t.deepEqual(
    lines.map(({ kind, entries, credits, agentId: of }) => `${kind} ${entries} ${credits} ${of}`).toSorted(),
    ['grant 1 200 null', 'promotion 1 30 null', `step 1 -6 ${other}`, `step 3 -12 ${agentId}`],
  )
  const later2 = await statements.ofMonth(userId, nameOf(2))
  t.deepEqual(
    later2.lines.filter(({ kind }) => kind === 'expiry').map(({ credits }) => credits),
    [18 + 7 - 30],
  )
  const ofAgent = await statements.ofAgent({ id: agentId, ownerId: userId }, nameOf(1))
  t.deepEqual([ofAgent.opening, ofAgent.lines.length, ofAgent.closing], [0, 3, -12])
})

test('a month that has not begun, or is none, has no statement', async (t) => {
  const { statements, userId, nameOf } = await open()
  for (const month of [nameOf(1), '2026-13', '2026-1', 'now', '', '0000-01'])
    t.like(await t.throwsAsync(statements.ofMonth(userId, month)), { code: 'NOT_FOUND' })
  t.like(await statements.ofMonth(userId, nameOf(-1)), { opening: 0, lines: [], closing: 0 })
})

test('a statement has a line for each of the largest groups, and one for all others of a kind', async (t) => {
  const { statements, database, clock, userId, nameOf } = await open()
  const ids = Array.from({ length: maxLines + 200 }, newId)
  await database.raw(
    `insert into ledger_entries (id, owner_id, kind, credits, balance_after, run_id, step, agent_id, created_at)
     select id, :userId, 'step', -1, 0, id, 1, id, :now from unnest(:ids::uuid[]) as made (id)`,
    { userId, ids, now: clock.now() },
  )
  const { lines } = await statements.ofMonth(userId, nameOf(0))
  t.is(lines.length, maxLines + 1)
  t.deepEqual(
    lines.filter(({ entries }) => entries > 1).map(({ kind, entries, credits }) => ({ kind, entries, credits })),
    [{ kind: 'step', entries: 201, credits: -201 }],
  )
})

test('a statement of a run has a line for each step and each failed attempt', async (t) => {
  const { billing, statements, database, userId } = await open()
  const runId = newId()
  const charge = (step: number, credits: number, failed = {}) =>
    database.transaction((trx) =>
      billing.credits.chargeStep(trx, { ownerId: userId, runId, step, credits, tokens: 0, ...failed }),
    )
  await charge(1, 2)
  await charge(2, 3, { failedAttempt: 1 })
  await charge(2, 4)
  const { opening, lines, closing } = await statements.ofRun({ id: runId, agentVersion: null })
  t.deepEqual(
    lines.map(({ kind, step, attempt, credits }) => `${kind} ${step} ${attempt} ${credits}`),
    ['step 1 null -2', 'failed_step 2 1 -3', 'step 2 null -4'],
  )
  t.deepEqual([opening, closing], [0, -9])
})
