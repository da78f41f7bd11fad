// @promise charges
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { billingForFile } from './open-billing.ts'

const open = billingForFile(test)

test('cards are listed newest first and removed by their owner only', async (t) => {
  const { billing, clock, userId } = await open()
  const visa = await billing.paymentMethods.add(userId, { paymentMethod: 'pm_card_visa' })
  const master = await billing.paymentMethods.add(userId, { paymentMethod: 'pm_card_mastercard' })
  t.like(visa, { brand: 'visa', last4: '4242', createdAt: clock.now() })
  t.deepEqual(await billing.paymentMethods.list(userId), [master, visa])
  t.deepEqual(await billing.paymentMethods.list(newId()), [])
  t.like(await t.throwsAsync(billing.paymentMethods.remove(newId(), visa.id)), { code: 'NOT_FOUND' })
  await billing.paymentMethods.remove(userId, visa.id)
  t.like(await t.throwsAsync(billing.paymentMethods.remove(userId, visa.id)), { code: 'NOT_FOUND' })
  t.deepEqual(await billing.paymentMethods.list(userId), [master])
})

test('there is room for twenty cards, also between parallel requests', async (t) => {
  const { withCard } = await open()
  const results = await Promise.allSettled(Array.from({ length: 23 }, () => withCard()))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 20)
  t.like(await t.throwsAsync(withCard()), { code: 'FEATURE_LIMIT_REACHED' })
})

test('the grant of a month is made once, also when many look at once', async (t) => {
  const { billing, clock, charge, userId, ledgerSum } = await open()
  const look = () => Promise.all([...Array.from({ length: 6 }, () => billing.account(userId)), charge(userId, 1)])
  await look()
  t.is((await billing.account(userId)).balance, 199)
  clock.forward(30 * 86_400)
  await look()
  t.is((await billing.account(userId)).balance, 398)
  t.is(await ledgerSum(), 398)
  const { items } = await billing.credits.ledger(userId, { limit: 10 })
  const grants = items.filter(({ kind }) => kind === 'grant').map(({ period, credits }) => [period, credits])
  t.deepEqual(grants, [
    ['2026-12/free', 200],
    ['2026-11/free', 200],
  ])
})

test('parallel charges never lose one: the ledger adds up to the balance', async (t) => {
  const { billing, charge, ledgerSum, userId } = await open()
  await Promise.all(Array.from({ length: 30 }, (_, index) => charge(userId, index % 3)))
  const { balance } = await billing.account(userId)
  t.is(balance, 200 - (10 * 1 + 10 * 1 + 10 * 2))
  t.is(await ledgerSum(), balance)
  const { items } = await billing.credits.ledger(userId, { limit: 100 })
  const ordered = items.toSorted((a, b) => b.balanceAfter! - a.balanceAfter!).slice(1)
  t.deepEqual(
    ordered.map((entry, index) => entry.balanceAfter! - (ordered[index - 1]?.balanceAfter ?? 200)),
    ordered.map(({ credits }) => credits),
  )
})

test('a step is charged once, in whole credits, however often and from however many sides it is asked for', async (t) => {
  const { billing, charge, ledgerSum, userId } = await open()
  const runId = newId()
  const answers = await Promise.all(Array.from({ length: 5 }, () => charge(userId, 6.1, runId, 3)))
  for (const answer of answers) t.like(answer, { charged: 7, balance: 193 })
  t.is(answers.filter(({ isNew }) => isNew).length, 1)
  t.like(await charge(userId, 7, runId, 4), { charged: 7, balance: 186, isNew: true })
  for (const credits of [0, 0.2]) t.like(await charge(userId, credits), { charged: 1 })
  t.is((await billing.account(userId)).balance, 184)
  t.is(await ledgerSum(), 184)
  t.like(await charge(userId, 188), { charged: 188, balance: -4 }, 'also beyond the balance')
})

test('a charge that is rolled back leaves neither entry nor balance', async (t) => {
  const { billing, database, ledgerSum, userId } = await open()
  await billing.account(userId)
  const failing = database.transaction(async (trx) => {
    await billing.credits.chargeStep(trx, { ownerId: userId, runId: newId(), step: 1, credits: 5, tokens: 0 })
    throw new Error('the step could not be recorded')
  })
  await t.throwsAsync(failing, { message: /could not be recorded/ })
  t.is((await billing.account(userId)).balance, 200)
  t.is(await ledgerSum(), 200)
})

test('the database refuses to change or delete ledger entries', async (t) => {
  const { billing, database, userId } = await open()
  await billing.account(userId)
  const changes = [
    () => database('ledger_entries').update({ credits: 1_000_000 }),
    () => database('ledger_entries').delete(),
    () => database.raw('truncate ledger_entries'),
  ]
  for (const change of changes) t.like(await t.throwsAsync(async () => void (await change())), { code: '23001' })
})
