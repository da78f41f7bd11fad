// @promise money-by-default
import { randomBytes } from 'node:crypto'
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as adminUsers from '../../api/admin-users.ts'
import * as billing from '../../api/billing.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { agentOf, customer, ended, person, webhookAgent, deliver, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf } from '../helpers/workspaces.ts'

/** Its operator pays for one of the models; agents here use the other. */
const paid = { OPENAI_MODEL: 'gpt', OPENAI_API_KEY: 'sk-of-the-operator' }

const openSandbox = forWholeFile(test, 'a sandbox beside a paid model', (t) =>
  startPlatform(t, { env: { ...paid, BILLING: 'sandbox', BILLING_SANDBOX_WITH_PAID_MODELS: 'true' } }),
)
const openOff = forWholeFile(test, 'no payments beside a paid model', (t) =>
  startPlatform(t, { worker: true, env: { ...paid, LIMIT_TOKENS_PER_MONTH: '50000' } }),
)

const verify = async (platform: Platform, { email }: Person) =>
  call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, email) } })
const balanceOf = async (someone: Person) => (await call(someone, billing.getBilling)).body.balance
const demoAgent = (someone: Person) => agentOf(someone, { model: 'demo' })
const domain = () => `${randomBytes(6).toString('hex')}.example`
/** By the API, which mails to the address; a copy of a user gets no mail. */
const newPerson = (platform: Platform) => person(platform, `${randomBytes(6).toString('hex')}@example.com`)

test('where a model costs money, free credits come with a verified address, and not before', async (t) => {
  const platform = await openSandbox()
  const someone = await newPerson(platform)
  t.is(await balanceOf(someone), 0)
  const { failure } = await start(someone, await demoAgent(someone))
  t.is(failure.code, 'NO_CREDITS')
  t.regex(failure.error, /verified email address.* POST \/auth\/verify-email/)
  const params = { userId: await userIdOf(someone) }
  await call(await adminOf(platform), adminUsers.giveTier, { params, body: { limits: { agents: 2 } } })
  t.is(await balanceOf(someone), 0, 'another limit vouches for nobody')
  await verify(platform, someone)
  t.is(await balanceOf(someone), 200)
})

test('a password that is reset by mail verifies the address, too, and what is bought needs no verified one', async (t) => {
  const platform = await openSandbox()
  const someone = await newPerson(platform)
  const body = { token: await resetTokenOf(platform, someone.email), newPassword: 'another long password' }
  await call(platform, accountMails.resetPassword, { body })
  const { services } = platform
  t.is((await services.billing.account(await ownerOf(platform, someone))).balance, 200)
  t.is(await balanceOf(await customer(platform)), 5000)
})

const ownerOf = async ({ services }: Platform, { email }: Person): Promise<string> =>
  (await services.database('users').where({ email }).first('id')).id as string

test('a mailbox has its free month once, however many addresses and accounts it has', async (t) => {
  const platform = await openSandbox()
  const at = domain()
  const people: Person[] = []
  for (const local of ['ada', 'ada+1', 'ada+2', 'ＡＤＡ+3']) people.push(await person(platform, `${local}@${at}`))
  // Each has had another mailbox in a month before.
  for (const one of people) {
    const ownerId = await userIdOf(one)
    await platform.services.database('free_months').insert({ month: '2026-01-01', ownerId, mailboxHash: ownerId })
  }
  for (const one of people)
    await call(platform, accountMails.verifyEmail, {
      body: { token: await tokenTo(platform, one.email.normalize('NFC').toLowerCase()) },
    })
  // Many look at once.
  await Promise.all([...people, ...people, ...people].map(balanceOf))
  const balances = await Promise.all(people.map(balanceOf))
  t.deepEqual(
    balances.toSorted((one, other) => other - one),
    [200, 0, 0, 0],
  )
  await platform.services.billing.credits.sweep()
  const late = await person(platform, `ada+4@${at}`)
  await verify(platform, late)
  t.is(await balanceOf(late), 0, 'the month is not forgotten before it is over')
  const loser = people[balances.indexOf(0)]!
  const { failure } = await start(loser, await demoAgent(loser))
  t.regex(failure.error, /another account with this mailbox/i)
})

test('an address that is changed for another mailbox gives no second month, and one that gets its own has it', async (t) => {
  const platform = await openSandbox()
  const [first, second] = [await person(platform, `a@${domain()}`), await person(platform, `b@${domain()}`)]
  const change = async (someone: Person, newEmail: string) => {
    await call(someone, accountMails.changeEmail, { body: { newEmail, currentPassword: someone.password } })
    await call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, newEmail) } })
  }
  await verify(platform, first)
  t.is(await balanceOf(first), 200)
  await change(first, `c@${domain()}`)
  t.is(await balanceOf(first), 200)
  const again = await person(platform, first.email)
  await verify(platform, again)
  t.is(await balanceOf(again), 0, 'the mailbox has had its month')
  await change(again, `d@${domain()}`)
  t.is(await balanceOf(again), 200)
  await change(second, `e@${domain()}`)
  t.is(await balanceOf(second), 200, 'a change verifies the new address')
})

test('without payments the tokens of a month wait for a verified address, or for an admin who vouches', async (t) => {
  const platform = await openOff()
  const root = await adminOf(platform)
  const [stranger, vouched] = [await newPerson(platform), await newPerson(platform)]
  const agent = await webhookAgent(stranger, { model: 'demo' })
  const { failure } = await deliver(stranger, agent, { event: 'a' })
  t.is(failure.code, 'NO_CREDITS')
  t.regex(failure.error, /verified email address/)
  await verify(platform, stranger)
  const { body } = await deliver(stranger, agent, { event: 'a' })
  t.is((await ended(stranger, body.runId)).status, 'completed')
  const other = await person(platform, stranger.email.replace('@', '+1@'))
  await verify(platform, other)
  t.regex((await start(other, await demoAgent(other))).failure.error, /another account with this mailbox/i)
  t.is((await start(vouched, await demoAgent(vouched))).failure.code, 'NO_CREDITS')
  const params = { userId: await userIdOf(vouched) }
  await call(root, adminUsers.giveTier, { params, body: { limits: { tokensPerMonth: 20_000 } } })
  t.is((await start(vouched, await demoAgent(vouched))).status, 202)
  t.is((await start(root, await demoAgent(root))).status, 202, 'an admin is known')
})
