import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as adminClock from '../../api/admin-clock.ts'
import * as adminCredits from '../../api/admin-credits.ts'
import * as adminUsers from '../../api/admin-users.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call, type Answer } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { spendAllBut } from '../helpers/runs.ts'
import type { Chance } from '../money/chance.ts'
import type { Book, Group } from './book.ts'
import type { AccountFacts } from './states.ts'

/** Changes of an account, by its owner or by an admin. Each ends with an account in good standing. */
export interface AccountChange {
  book: Book
  group: Group
  random: Chance
  boss: Person
  platform: Platform
}

type Change = (change: AccountChange) => Promise<unknown>

/** No limits besides tokens, so that only states refuse deliveries. */
export const limitsWith = (tokensPerMonth: number | null) => ({
  deliveriesPerMinute: null,
  inputBytesPerMinute: null,
  requestsPerMinute: null,
  storedBytes: null,
  tokensPerMonth,
})

/** A state lasts longer than most deliveries take, so that some meet no other. In milliseconds. */
const settle = ({ random }: AccountChange) => delay(random.whole(200, 1500))

/** Makes a change, and then another that undoes it. */
const inTurn =
  (...steps: [string, (change: AccountChange) => Promise<Answer<unknown>>, Partial<AccountFacts>][]): Change =>
  async (change) => {
    for (const [what, send, facts] of steps) {
      const made = await change.book.change(
        change.group,
        what,
        () => send(change),
        () => {
          change.group.account = { ...change.group.account, ...facts }
        },
      )
      if (!made) throw new Error(`${what} was refused: ${[...change.book.tally.keys()].at(-1)}`)
      await settle(change)
    }
  }

const user = ({ group }: AccountChange) => ({ userId: group.userId })
const capOfAccount = (creditsPerMonth: number | null) => (change: AccountChange) =>
  call(change.group.someone, billing.updateBilling, { body: { creditsPerMonth } })
const capOfWorkspace =
  (creditsPerMonth: number | null) =>
  ({ group }: AccountChange) =>
    call(group.someone, workspaces.updateWorkspace, {
      params: { workspaceId: group.workspaceId },
      body: { creditsPerMonth },
    })
const give =
  (body: { tier?: 'pro' | 'team' | null; limits?: ReturnType<typeof limitsWith> }) => (change: AccountChange) =>
    call(change.boss, adminUsers.giveTier, { params: user(change), body })
const lift = (change: AccountChange) => call(change.boss, adminUsers.liftUser, { params: user(change) })
const subscribe = ({ group }: AccountChange) =>
  call(group.someone, billing.subscribe, { body: { tier: 'team', when: 'now' } })

/** A new login, after all others have ended. */
async function logIn({ group: { someone } }: AccountChange): Promise<void> {
  const { email, password, url } = someone
  someone.token = (await call({ url }, auth.login, { body: { email, password } })).body.accessToken
}

/** Spends all credits as the newest run would, because steps of the demo model cost too little. */
async function spend(change: AccountChange): Promise<Answer<unknown>> {
  const { database } = change.platform.services
  const newest = () => database('runs').where({ ownerId: change.group.userId }).orderBy('id', 'desc').first('id')
  const { id } = await eventually(60, 'the account has a run', newest)
  await spendAllBut(change.platform, id, 0)
  return call(change.boss, adminUsers.getUser, { params: user(change) })
}

const buy = ({ group: { someone } }: AccountChange) =>
  call(someone, payments.buyCredits, { headers: { 'Idempotency-Key': randomUUID() }, body: { credits: 10_000 } })

const giveCredits = (change: AccountChange) =>
  call(change.boss, adminCredits.giveCredits, {
    params: user(change),
    headers: { 'Idempotency-Key': randomUUID() },
    body: { credits: 1_000_000, note: 'A test.' },
  })

/** Without a card, the renewal fails at the end of the paid month. */
async function fallDue(change: AccountChange): Promise<Answer<unknown>> {
  const { group, boss } = change
  const { items } = (await call(group.someone, billing.listPaymentMethods)).body
  for (const { id } of items)
    await call(group.someone, billing.removePaymentMethod, { params: { paymentMethodId: id } })
  const { subscription } = (await call(group.someone, billing.getBilling)).body
  const left = Date.parse(subscription?.currentPeriodEnd ?? '') - Date.now() - group.aheadMs
  const seconds = Math.ceil(left / 1000) + 60
  group.aheadMs += seconds * 1000
  const answer = await call(boss, adminClock.advanceClock, { params: user(change), body: { seconds } })
  const { subscription: after } = (await call(group.someone, billing.getBilling)).body
  if (after?.status !== 'past_due') throw new Error(`the subscription is ${after?.status}, not past due`)
  return answer
}

async function pay(change: AccountChange): Promise<Answer<unknown>> {
  await call(change.group.someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } })
  return subscribe(change)
}

const common: Change[] = [
  inTurn(
    ['account cap 0', capOfAccount(0), { isCapped: true }],
    ['account cap raised', capOfAccount(null), { isCapped: false }],
  ),
  inTurn(
    ['workspace cap 0', capOfWorkspace(0), { isWorkspaceCapped: true }],
    ['workspace cap raised', capOfWorkspace(null), { isWorkspaceCapped: false }],
  ),
  inTurn(
    ['token limit 0', give({ limits: limitsWith(0) }), { isTokenless: true }],
    ['token limit lifted', give({ limits: limitsWith(null) }), { isTokenless: false }],
  ),
  inTurn(
    [
      'user suspended',
      (change) => call(change.boss, adminUsers.suspendUser, { params: user(change), body: { reason: 'A test.' } }),
      { isSuspended: true },
    ],
    ['suspension lifted', lift, { isSuspended: false }],
  ),
]

const spending = inTurn(
  ['credits used up', spend, { isSpent: true }],
  ['credits bought', buy, { isSpent: false }],
  ['credits given', giveCredits, {}],
)

const closedByOwner = inTurn(
  [
    'account closed by its owner',
    ({ group: { someone } }) => call(someone, auth.deleteAccount, { body: { password: someone.password } }),
    { isClosing: true },
  ],
  ['account restored by its owner', ({ group }) => call(group.someone, auth.restoreAccount), { isClosing: false }],
)

const deletedByAdmin: Change = async (change) => {
  await inTurn(
    [
      'account marked for deletion',
      ({ boss, ...rest }) => call(boss, adminUsers.deleteUser, { params: user({ boss, ...rest }) }),
      { isClosing: true, isSuspended: true },
    ],
    [
      'account restored',
      ({ boss, ...rest }) => call(boss, adminUsers.restoreUser, { params: user({ boss, ...rest }) }),
      { isClosing: false },
    ],
    ['suspension lifted', lift, { isSuspended: false }],
  )(change)
  await logIn(change)
}

const tiersGiven = inTurn(
  ['tier taken away', give({ tier: null }), { givenTier: 'free' }],
  ['tier pro given', give({ tier: 'pro' }), { givenTier: 'pro' }],
  ['tier team given', give({ tier: 'team' }), { givenTier: 'team' }],
)

const endedAndBought = inTurn(
  [
    'subscription ended',
    ({ group }) => call(group.someone, billing.cancelSubscription, { query: { when: 'now' } }),
    { paidTier: 'free' },
  ],
  ['subscription bought', subscribe, { paidTier: 'team' }],
)

const overdue = inTurn(['past due', fallDue, { isPastDue: true }], ['overdue month paid', pay, { isPastDue: false }])

/** How an account has its tier, and what can happen to it therefore. */
export const kinds = {
  given: [...common, closedByOwner, deletedByAdmin, tiersGiven],
  bought: [...common, spending, endedAndBought, endedAndBought],
  renewed: [...common, spending, overdue],
} as const satisfies Record<string, Change[]>

export type Kind = keyof typeof kinds
