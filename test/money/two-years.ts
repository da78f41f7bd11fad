import type { ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import * as sandbox from '../../api/admin-clock.ts'
import { call, type Answer } from '../helpers/client.ts'
import { person, type Person } from '../helpers/people.ts'
import { userIdOf } from '../helpers/workspaces.ts'
import { chance, type Chance } from './chance.ts'
import { Subscriber } from './subscriber.ts'

const day = 86_400

/** Two years, and a little more. */
const wholeSeconds = 740 * day

/** What the operator has set (CREDITS_CENTS_PER_HUNDRED). */
const centsPerCredit = 1

/** Of ten things that are done, most change nothing, as in life. */
const deeds = ['nothing', 'nothing', 'subscribe', 'subscribe', 'cancel', 'card', 'card', 'buy'] as const

/** Lives two years of an account through the API, with the model beside it, and compares them after each step. Returns the steps. */
export async function liveTwoYears(t: ExecutionContext, given: { boss: Person; seed: number; now: Date }) {
  const { boss, seed, now } = given
  const random = chance(seed)
  const someone = await person({ url: boss.url })
  const { body: tiers } = await call({ url: boss.url }, billing.listTiers)
  const model = new Subscriber(tiers.items, now.getTime())
  const done: string[] = []
  for (let passed = 0; passed < wholeSeconds;) {
    const seconds = random.whole(1, 40 * day)
    passed += seconds
    done.push(await act(someone, model, random), `advance ${seconds}`)
    await advance(boss, someone, seconds)
    model.advance(seconds * 1000)
    const told = `seed ${seed}: ${done.slice(-9).join(', ')}`
    if (!t.deepEqual(await seenBy(someone), model.seen, told)) return done.length
  }
  const told = `seed ${seed}: ${done.join(', ')}`
  const payments = await paymentsOf(someone)
  t.deepEqual(sorted(payments), sorted(model.charged), told)
  t.is(creditIn(payments), model.creditCents, told)
  return done.length
}

/** A payment, as far as it is compared. */
type Listed = Record<'cents' | 'fromCreditCents', number> & { status: string }

/** A step of an admin is at most 62 days. */
async function advance(boss: Person, someone: Person, seconds: number): Promise<void> {
  const params = { userId: await userIdOf(someone) }
  await call(boss, sandbox.advanceClock, { params, body: { seconds } }).then(({ body }) => body)
}

async function seenBy(someone: Person) {
  const { tier, subscription, balance, creditCents } = (await call(someone, billing.getBilling)).body
  const { status = null, currentPeriodEnd = null, nextTier = null } = subscription ?? {}
  return { tier, status, currentPeriodEnd, nextTier, balance, creditCents }
}

async function paymentsOf(someone: Person): Promise<Listed[]> {
  const found: Listed[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const { body } = await call(someone, payments.listPayments, { query })
    found.push(...body.items.map(({ cents, fromCreditCents, status }) => ({ cents, fromCreditCents, status })))
    cursor = body.nextCursor
  }
  return found
}

/** What was credited, less what was paid from that. */
const creditIn = (charges: Listed[]): number =>
  charges.reduce((sum, { cents, fromCreditCents }) => sum - Math.min(0, cents) - fromCreditCents, 0)

const sorted = (charges: Listed[]) =>
  charges.map(({ cents, fromCreditCents, status }) => `${status} ${cents} ${fromCreditCents}`).toSorted()

/** Does one thing to both, and throws if their answers differ. */
async function act(someone: Person, model: Subscriber, random: Chance): Promise<string> {
  const deed = random.of(deeds)
  if (deed === 'card') return giveCard(someone, model, random)
  if (deed === 'cancel') {
    const when = random.of(['now', 'period_end'] as const)
    const expected = model.cancel(when) ? 'done' : 'NOT_FOUND'
    return same(`cancel ${when}`, await call(someone, billing.cancelSubscription, { query: { when } }), expected)
  }
  if (deed === 'subscribe') return subscribe(someone, model, random)
  if (deed === 'buy') return buy(someone, model, random)
  return deed
}

async function giveCard(someone: Person, model: Subscriber, random: Chance): Promise<string> {
  const [paymentMethod, kind] = random.of([
    ['pm_card_visa', 'good'],
    ['pm_card_visa', 'good'],
    ['pm_card_chargeCustomerFail', 'bad'],
    [undefined, 'none'],
  ] as const)
  const { items } = (await call(someone, billing.listPaymentMethods)).body
  if (paymentMethod) await call(someone, billing.addPaymentMethod, { body: { paymentMethod } }).then(({ body }) => body)
  for (const { id } of items) await call(someone, billing.removePaymentMethod, { params: { paymentMethodId: id } })
  model.card = kind
  return `card ${kind}`
}

async function subscribe(someone: Person, model: Subscriber, random: Chance): Promise<string> {
  const tier = random.of(['pro', 'team', 'enterprise'] as const)
  const when = random.of([undefined, undefined, 'now', 'period_end'] as const)
  const answer = await call(someone, billing.subscribe, { body: { tier, ...(when && { when }) } })
  return same(`subscribe ${tier} ${when ?? ''}`, answer, model.subscribe(tier, when))
}

async function buy(someone: Person, model: Subscriber, random: Chance): Promise<string> {
  const credits = random.whole(1, 50) * 100
  const answer = await call(someone, payments.buyCredits, { body: { credits } })
  return same(`buy ${credits}`, answer, model.buy(credits, Math.round(credits * centsPerCredit)))
}

function same(deed: string, answer: Answer<unknown>, expected: string): string {
  const seen = answer.status < 400 ? 'done' : answer.failure.code
  if (seen !== expected) throw new Error(`${deed}: ${seen}, and not ${expected}`)
  return `${deed} → ${seen}`
}
