import test, { type ExecutionContext } from 'ava'
import { later } from '../../../../src/clock.ts'
import { newId } from '../../../../src/ids.ts'
import { billingForFile, openBilling } from '../open-billing.ts'

const open = billingForFile(test)
const day = 86_400

type Money = Awaited<ReturnType<typeof open>>
type Given = Parameters<Money['billing']['credits']['grant']>[2]

const give = ({ billing, database, userId }: Money, given: Given) =>
  database.transaction((trx) => billing.credits.grant(trx, userId, given))

const grantsOf = ({ database, userId }: Money) =>
  database('credit_grants')
    .where({ ownerId: userId })
    .orderBy('createdAt')
    .orderBy('id')
    .select<{ id: string; kind: string; remaining: number; credits: number }[]>()

const left = async (money: Money) => (await grantsOf(money)).map(({ kind, remaining }) => `${kind} ${remaining}`)

/** The rule of the record: the ledger adds up to the balance, and what is left of grants is the balance unless that is a debt. */
async function addsUp(t: ExecutionContext, money: Money) {
  const { billing, ledgerSum, userId } = money
  const { balance } = await billing.account(userId)
  t.is(await ledgerSum(), balance)
  const grants = await grantsOf(money)
  t.is(
    grants.reduce((sum, { remaining }) => sum + remaining, 0),
    Math.max(balance, 0),
  )
  return balance
}

test('given credits are used first, what was bought last, and each entry says from what', async (t) => {
  const money = await open()
  const { billing, charge, userId } = money
  await give(money, { kind: 'purchase', credits: 50, paymentId: newId() })
  await give(money, { kind: 'promotion', credits: 10 })
  t.like(await charge(userId, 12), { balance: 248 })
  t.deepEqual(await left(money), ['grant 198', 'purchase 50', 'promotion 0'])
  await charge(userId, 200)
  t.deepEqual(await left(money), ['grant 0', 'purchase 48', 'promotion 0'])
  const [monthly, bought, given] = (await grantsOf(money)).map(({ id }) => id)
  const { items } = await billing.credits.ledger(userId, { limit: 10 })
  t.deepEqual(
    items.map(({ kind, grantId, drawn }) => ({ kind, grantId, drawn })),
    [
      { kind: 'step', grantId: null, drawn: { [monthly ?? '']: 198, [bought ?? '']: 2 } },
      { kind: 'step', grantId: null, drawn: { [given ?? '']: 10, [monthly ?? '']: 2 } },
      { kind: 'promotion', grantId: given, drawn: null },
      { kind: 'purchase', grantId: bought, drawn: null },
      { kind: 'grant', grantId: monthly, drawn: null },
    ],
  )
  await addsUp(t, money)
})

test('of credits alike, what expires first is used first, and what never does last', async (t) => {
  const money = await open()
  const { clock, charge, userId } = money
  for (const [credits, expiresAt] of [
    [10, null],
    [11, later(clock.now(), 5 * day)],
    [12, later(clock.now(), 3 * day)],
  ] as const)
    await give(money, { kind: 'promotion', credits, expiresAt })
  await charge(userId, 13)
  t.deepEqual(await left(money), ['grant 200', 'promotion 10', 'promotion 10', 'promotion 0'])
})

test('a debt is paid by the next credits before anything is left of them', async (t) => {
  const money = await open()
  const { charge, userId } = money
  t.like(await charge(userId, 230), { balance: -30 })
  await give(money, { kind: 'purchase', credits: 20, paymentId: newId() })
  t.is(await addsUp(t, money), -10)
  await give(money, { kind: 'purchase', credits: 100, paymentId: newId() })
  t.deepEqual(await left(money), ['grant 0', 'purchase 0', 'purchase 90'])
  t.is(await addsUp(t, money), 90)
})

test('a payment adds its credits once, however often it is reported at a time', async (t) => {
  const money = await open()
  const paymentId = newId()
  const added = await Promise.all([1, 2, 3].map(() => give(money, { kind: 'purchase', credits: 5, paymentId })))
  t.is(added.filter(Boolean).length, 1)
  t.is(await addsUp(t, money), 205)
})

test('what is left of credits that are over is taken once, and no read shows it any more', async (t) => {
  const money = await open()
  const { billing, clock, charge, userId } = money
  await give(money, { kind: 'promotion', credits: 40, expiresAt: later(clock.now(), day) })
  await charge(userId, 15)
  clock.forward(day - 1)
  t.is((await billing.account(userId)).balance, 225)
  clock.forward(1)
  const balances = await Promise.all([1, 2, 3].map(() => billing.account(userId)))
  t.deepEqual(new Set(balances.map(({ balance }) => balance)), new Set([200]))
  const { items } = await billing.credits.ledger(userId, { limit: 10, kind: 'expiry' })
  t.deepEqual(
    items.map(({ credits, grantId }) => [credits, grantId !== null]),
    [[-25, true]],
  )
  await addsUp(t, money)
})

test('credits that are over are taken although nobody looks', async (t) => {
  const money = await openBilling(t)
  const { billing, clock, database, userId } = money
  for (const days of [1, 5])
    await give(money, { kind: 'promotion', credits: 40, expiresAt: later(clock.now(), days * day) })
  clock.forward(2 * day)
  await billing.credits.sweep()
  t.like(await database('accounts').where({ ownerId: userId }).first(), { balance: 240 })
  await database('accounts').update({ clockSeconds: 3 * day })
  t.is((await billing.account(userId)).balance, 200, 'its own clock counts, which is ahead')
})

// @promise charges
test('two hundred random changes, several at a time, keep the ledger, the balance and the grants in agreement', async (t) => {
  const money = await openBilling(t)
  const { billing, clock, charge, userId } = money
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.log(`seed ${seed}`)
  let state = seed
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below
  const changes = [
    () => charge(userId, 1 + random(60)),
    () => give(money, { kind: 'purchase', credits: 1 + random(80), paymentId: newId() }),
    () =>
      give(money, { kind: 'promotion', credits: 1 + random(50), expiresAt: later(clock.now(), 1 + random(2 * day)) }),
    () => billing.credits.sweep(),
  ]
  for (let round = 0; round < 50; round += 1) {
    await Promise.all([1, 2, 3, 4].map(async () => changes[random(changes.length)]?.()))
    if (round % 5 === 0) clock.forward(random(day))
    await addsUp(t, money)
  }
})
