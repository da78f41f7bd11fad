import { days, type Cases, type StripeStage } from './stages.ts'

/** A subscription whose second month has begun ten minutes ago: its invoice is a draft, and nothing is charged yet. */
async function renewed({ clock, double, ...stage }: StripeStage, tier: 'pro' | 'team') {
  const one = await stage.subscriber(tier)
  const { currentPeriodEnd } = (await one.look()).subscription!
  clock.forward((currentPeriodEnd.getTime() - clock.now().getTime()) / 1000 + 600)

  /** What is so once everything that is open could have been collected. */
  async function later() {
    clock.forward(days(10))
    const { subscription, creditCents } = await one.look()
    return { tier: subscription?.tier, charged: double.charged(one.customer), creditCents }
  }
  return { ...one, later }
}

/** Cannot list the invoices of a subscription, which is the last step. */
const cannotList = ['GET /v1/invoices?', 'lost', 3] as const

/* In the hour between a renewal and its charge, the new month is not paid. */
export const draftHour: Cases<StripeStage> = {
  async 'a month that is not charged yet is not paid, and the subscription goes on'(t, stage) {
    const { brief, look } = await renewed(stage, 'pro')
    const paid = ['2000 pro paid']
    const before = { told: 'pro active until 2026-12-21', paid: [...paid, '2000 pro pending'], creditCents: 0 }
    t.deepEqual(await brief(), before)
    t.is((await look()).payments[0]?.key, null)
    stage.clock.forward(3000)
    paid.push('2000 pro paid')
    t.deepEqual(await brief(), { told: 'pro active until 2027-01-21', paid, creditCents: 0 })
  },

  async 'who leaves before a month is charged neither pays for it nor gets credit for it'(t, stage) {
    for (const when of ['now', 'period_end'] as const) {
      const { cancel, later, brief } = await renewed(stage, 'pro')
      await cancel(when)
      t.deepEqual(await later(), { tier: undefined, charged: [2000], creditCents: 0 })
      t.deepEqual((await brief()).paid, ['2000 pro paid', '2000 pro failed'])
    }
  },

  async 'a change before a month is charged begins another month, which is paid in full, and alone'(t, stage) {
    const up = await renewed(stage, 'pro')
    await up.change('team')
    t.deepEqual(await up.later(), { tier: 'team', charged: [2000, 8000], creditCents: 0 })
    for (const when of ['now', 'period_end'] as const) {
      const down = await renewed(stage, 'team')
      await down.change('pro', when)
      t.deepEqual(await down.later(), { tier: 'pro', charged: [8000, 2000], creditCents: 0 })
    }
  },

  async 'a change that is refused before a month is charged leaves that month to be charged'(t, stage) {
    const { customer, attach, change, later } = await renewed(stage, 'pro')
    const { reference: left } = await attach('pm_card_visa')
    const card = await attach('pm_card_chargeCustomerFail')
    await t.throwsAsync(change('team'), { code: 'PAYMENT_FAILED' })
    await stage.gateway.detach(customer, card.reference, [left])
    t.deepEqual(await later(), { tier: 'pro', charged: [2000, 2000], creditCents: 0 })
  },

  async 'what is left half done when a month is not paid is finished by the next attempt'(t, stage) {
    const one = await renewed(stage, 'pro')
    stage.double.trouble(...cannotList)
    await t.throwsAsync(one.change('team', 'now', 'the key'), { code: 'INTERNAL_ERROR' })
    await one.change('team', 'now', 'the key')
    t.deepEqual(await one.later(), { tier: 'team', charged: [2000, 8000], creditCents: 0 })
    const other = await renewed(stage, 'pro')
    stage.double.trouble(...cannotList)
    await t.throwsAsync(other.cancel('now'), { code: 'INTERNAL_ERROR' })
    await other.cancel('now')
    t.deepEqual(await other.later(), { tier: undefined, charged: [2000], creditCents: 0 })
  },

  async 'an overdue month is taken back, also if only the next attempt finds out'(t, stage) {
    for (const isLost of [false, true]) {
      const { customer, attach, change } = await renewed(stage, 'pro')
      await attach('pm_card_chargeCustomerFail')
      stage.clock.forward(3600)
      stage.double.settle()
      await attach('pm_card_visa')
      const key = String(isLost)
      if (isLost) {
        stage.double.trouble('POST /v1/subscriptions/', 'lost', 3)
        await t.throwsAsync(change('team', 'now', key), { code: 'INTERNAL_ERROR' })
      }
      await change('team', 'now', key)
      const invoices = [...stage.double.world.invoices.values()].filter((one) => one.customer === customer)
      t.deepEqual(
        invoices.map(({ status }) => status),
        ['paid', 'void', 'paid'],
      )
    }
  },
}
