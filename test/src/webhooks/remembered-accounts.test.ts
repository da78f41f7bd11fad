import test from 'ava'
import * as adminClock from '../../../api/admin-clock.ts'
import * as adminUsers from '../../../api/admin-users.ts'
import * as auth from '../../../api/auth.ts'
import * as billing from '../../../api/billing.ts'
import { buyCredits } from '../../../api/payments.ts'
import { suspend } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { spendAllBut } from '../../helpers/runs.ts'
import { rememberedForFile } from './open-remembered.ts'

/* What changes in the account that pays holds for the very next delivery to an agent that is remembered. */

const open = rememberedForFile(test)

test('used up credits refuse the next delivery, and bought ones or a raised cap accept it', async (t) => {
  const { platform, owner, first, post, change, use } = await open(t)
  await spendAllBut(platform, first.runId, 1)
  t.is(await post(), 202)
  await use(1)
  t.is(await post(), 'NO_CREDITS')
  t.is(await post(), 'NO_CREDITS')
  t.is((await call(owner, buyCredits, { body: { credits: 500 } })).status, 201)
  t.is(await post(), 202)
  const cap = (creditsPerMonth: number | null) => call(owner, billing.updateBilling, { body: { creditsPerMonth } })
  for (const [lower, raise] of [
    [() => change({ creditsPerMonth: 0 }), () => change({ creditsPerMonth: null })],
    [() => cap(0), () => cap(null)],
  ] as const) {
    await lower()
    t.is(await post(), 'NO_CREDITS')
    await raise()
    t.is(await post(), 202)
  }
})

test('a suspended owner’s deliveries are refused until it is lifted, and those of a closing account until it is restored', async (t) => {
  const { platform, owner, post, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  await suspend(platform, owner)
  t.is(await post(), 'PERMISSION_DENIED')
  await call(boss, adminUsers.liftUser, { params })
  t.is(await post(), 202)
  const { email, password } = owner
  const again = (await call(platform, auth.login, { body: { email, password } })).body.accessToken
  const someone = { url: platform.url, token: again }
  t.is((await call(someone, auth.deleteAccount, { body: { password } })).status, 200)
  t.is(await post(), 'TIER_REQUIRED')
  t.is((await call(someone, auth.restoreAccount)).status, 200)
  t.is(await post(), 202)
})

test('the next delivery is refused when the payment of the month fails, and when the tier has no webhooks', async (t) => {
  const { owner, post, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  await call(owner, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_chargeCustomerFail' } })
  const advance = (days: number) => call(boss, adminClock.advanceClock, { params, body: { seconds: days * 86_400 } })
  t.is((await advance(32)).status, 200)
  t.is(await post(), 'SUBSCRIPTION_PAST_DUE')
  t.is((await advance(40)).status, 200)
  t.is(await post(), 'TIER_REQUIRED')
  await call(boss, adminUsers.giveTier, { params, body: { tier: 'pro' } })
  t.is(await post(), 202)
})

test('a month’s tokens refuse the next delivery once they are used up, or once an admin lowers the limit', async (t) => {
  const { post, use, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  const limit = (tokensPerMonth: number | null) =>
    call(boss, adminUsers.giveTier, { params, body: { limits: { tokensPerMonth } } })
  await limit(1000)
  await use(1, 999)
  t.is(await post(), 202)
  await use(1, 1)
  t.is(await post(), 'NO_CREDITS')
  await limit(1001)
  t.is(await post(), 202)
  await limit(1000)
  t.is(await post(), 'NO_CREDITS')
})
