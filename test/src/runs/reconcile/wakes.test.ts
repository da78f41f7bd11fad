import test from 'ava'
import * as accountMails from '../../../../api/account-mails.ts'
import * as adminClock from '../../../../api/admin-clock.ts'
import * as adminCredits from '../../../../api/admin-credits.ts'
import * as adminUsers from '../../../../api/admin-users.ts'
import * as agents from '../../../../api/agents.ts'
import * as auth from '../../../../api/auth.ts'
import * as billing from '../../../../api/billing.ts'
import * as payments from '../../../../api/payments.ts'
import * as transfers from '../../../../api/transfers.ts'
import * as workspaces from '../../../../api/workspaces.ts'
import { newId } from '../../../../src/ids.ts'
import { adminOf } from '../../../helpers/admins.ts'
import { call } from '../../../helpers/client.ts'
import { resetTokenOf, tokenTo } from '../../../helpers/mailbox.ts'
import { agentOf, customer } from '../../../helpers/people.ts'
import { start } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { join, userIdOf, verify, workspaceOf } from '../../../helpers/workspaces.ts'

/* A change that may let runs continue makes their agents due. Otherwise they would wait for nothing, for hours. */

const platformOf = sharedPlatform(test, 'idle')

/** An account, and an agent of its own and one of its workspace, each with a run that waits. */
async function open() {
  const platform = await platformOf()
  const payer = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(payer)
  const [own, shared] = [await agentOf(payer), await agentOf(payer, { workspaceId })]
  for (const agent of [own, shared]) await start(payer, agent)
  const dueAgents = () => platform.services.database('dueAgents').whereIn('agentId', [own.id, shared.id])
  const userId = await userIdOf(payer)
  /** Lets the gateway tell what has become of the newest payment. */
  async function told(status: string): Promise<void> {
    const { database, billing: money } = platform.services
    const newest = database('sandbox_payments').where({ ownerId: userId }).max('reference')
    await database('sandbox_payments').where({ reference: newest }).update({ status })
    await money.polling.poll(userId)
  }
  return { platform, payer, userId, workspaceId, own, shared, dueAgents, told }
}

type House = Awaited<ReturnType<typeof open>>

const changes: [what: string, whose: ('own' | 'shared')[], change: (house: House) => Promise<unknown>][] = [
  [
    'the cap of an account',
    ['own', 'shared'],
    ({ payer }) => call(payer, billing.updateBilling, { body: { creditsPerMonth: 1000 } }),
  ],
  [
    'the cap of a workspace',
    ['shared'],
    ({ payer, workspaceId }) =>
      call(payer, workspaces.updateWorkspace, { params: { workspaceId }, body: { creditsPerMonth: 1000 } }),
  ],
  [
    'the cap of an agent',
    ['own'],
    ({ payer, own }) =>
      call(payer, agents.updateAgent, { params: { agentId: own.id }, body: { creditsPerMonth: 1000 } }),
  ],
  [
    'a purchase of credits',
    ['own', 'shared'],
    ({ payer }) => call(payer, payments.buyCredits, { body: { credits: 100 } }),
  ],
  [
    'credits from an admin',
    ['own', 'shared'],
    async ({ platform, userId }) =>
      call(await adminOf(platform), adminCredits.giveCredits, {
        params: { userId },
        body: { credits: 100, note: 'A gift' },
        headers: { 'idempotency-key': newId() },
      }),
  ],
  [
    'a purchase that is paid after all',
    ['own', 'shared'],
    async ({ told }) => {
      await told('paid')
      return { status: 200 }
    },
  ],
  ['another tier', ['own', 'shared'], ({ payer }) => call(payer, billing.subscribe, { body: { tier: 'enterprise' } })],
  [
    'a tier from an admin',
    ['own', 'shared'],
    async ({ platform, userId }) =>
      call(await adminOf(platform), adminUsers.giveTier, { params: { userId }, body: { tier: 'enterprise' } }),
  ],
  [
    'another account pays for its workspace',
    ['shared'],
    async ({ platform, payer, workspaceId }) => {
      const taker = await customer(platform, 'team')
      await verify(platform, taker)
      await join(platform, workspaceId, taker, 'member')
      const [params, userId] = [{ workspaceId }, await userIdOf(taker)]
      await call(payer, transfers.offerWorkspace, { params, body: { userId, password: payer.password } })
      return call(taker, transfers.acceptTransfer, { params })
    },
  ],
  [
    'the address of the account is verified',
    ['own', 'shared'],
    async ({ platform, payer }) =>
      call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, payer.email) } }),
  ],
  [
    'other sites of an agent',
    ['own'],
    ({ payer, own }) => call(payer, agents.updateAgent, { params: { agentId: own.id }, body: { sites: [] } }),
  ],
  [
    'a month of an account that begins',
    ['own', 'shared'],
    ({ platform, userId }) => platform.services.billing.account(userId).then(() => ({ status: 200 })),
  ],
  [
    'a month that was overdue',
    ['own', 'shared'],
    ({ platform, userId }) => platform.services.billing.polling.poll(userId).then(() => ({ status: 200 })),
  ],
  [
    'the clock of an account',
    ['own', 'shared'],
    async ({ platform, userId }) =>
      call(await adminOf(platform), adminClock.advanceClock, { params: { userId }, body: { seconds: 1 } }),
  ],
  ['a resumed agent', ['own'], ({ payer, own }) => call(payer, agents.resumeAgent, { params: { agentId: own.id } })],
  [
    'a first proof of the address by a new password',
    ['own', 'shared'],
    async ({ platform, payer: { email } }) => {
      const body = { token: await resetTokenOf(platform, email), newPassword: 'a password of the owner' }
      return call(platform, accountMails.resetPassword, { body })
    },
  ],
  ['a restored account', ['own', 'shared'], ({ payer }) => call(payer, auth.restoreAccount)],
]

const accountOf = ({ platform, userId }: House) => platform.services.database('accounts').where({ ownerId: userId })

const before: Record<string, (house: House) => Promise<unknown>> = {
  'a month of an account that begins': (house) => accountOf(house).update({ grantedPeriod: null }),
  'a month that was overdue': (house) => accountOf(house).update({ subscriptionStatus: 'past_due' }),
  'a purchase that is paid after all': async ({ payer, told }) => {
    await call(payer, payments.buyCredits, { body: { credits: 100 } })
    await told('refunded')
  },
  'a resumed agent': ({ payer, own }) => call(payer, agents.pauseAgent, { params: { agentId: own.id } }),
  'the address of the account is verified': ({ payer }) => call(payer, accountMails.sendVerification),
  'a restored account': ({ payer }) => call(payer, auth.deleteAccount, { body: { password: payer.password } }),
}

for (const [what, whose, change] of changes)
  test(`a run is looked at again after ${what}`, async (t) => {
    const house = await open()
    await before[what]?.(house)
    await house.dueAgents().delete()
    const answer = (await change(house)) as { status: number }
    t.true(answer.status < 300, String(answer.status))
    const due = await house.dueAgents().distinct<{ agentId: string }[]>('agentId')
    t.deepEqual(due.map(({ agentId }) => agentId).toSorted(), whose.map((which) => house[which].id).toSorted())
  })
