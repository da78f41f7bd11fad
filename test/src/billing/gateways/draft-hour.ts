import type { ExecutionContext } from 'ava'
import { newId } from '../../../../src/ids.ts'
import { days, type stripeStage } from './stages.ts'

type Stage = Awaited<ReturnType<typeof stripeStage>>

/** A subscription whose second month has begun ten minutes ago: its invoice is a draft, and nothing is charged yet. */
async function renewed(stage: Stage, tier: 'pro' | 'team') {
  const customer = await stage.customer('pm_card_visa')
  await stage.gateway.subscribe({ customer, tier, key: newId() })
  const subscription = (await stage.gateway.look(customer)).subscription!
  stage.clock.forward((subscription.currentPeriodEnd.getTime() - stage.clock.now().getTime()) / 1000 + 600)
  return { customer, subscription: subscription.reference, until: subscription.currentPeriodEnd }
}

/** What is so once everything that is open could have been collected. */
async function later(stage: Stage, customer: string) {
  stage.clock.forward(days(10))
  const { subscription, creditCents } = await stage.gateway.look(customer)
  return { tier: subscription?.tier, charged: stage.double.charged(customer), creditCents }
}

/* In the hour between a renewal and its charge, the new month is not paid. */
export const draftHour: Record<string, (t: ExecutionContext, stage: Stage) => Promise<void>> = {
  async 'a month that is not charged yet is not paid, and the subscription goes on'(t, stage) {
    const { customer, until } = await renewed(stage, 'pro')
    const { subscription, payments } = await stage.gateway.look(customer)
    t.like(subscription, { status: 'active', tier: 'pro', currentPeriodEnd: until })
    t.like(payments[0], { status: 'pending', cents: 2000, key: null })
    stage.clock.forward(3000)
    const paid = await stage.gateway.look(customer)
    t.is(paid.subscription?.currentPeriodEnd.toISOString(), '2027-01-21T12:00:00.000Z')
    t.like(paid.payments[0], { status: 'paid', cents: 2000 })
  },

  async 'who leaves before a month is charged neither pays for it nor gets credit for it'(t, stage) {
    for (const when of ['now', 'period_end'] as const) {
      const { customer, subscription } = await renewed(stage, 'pro')
      await stage.gateway.cancel(subscription, when)
      t.deepEqual(await later(stage, customer), { tier: undefined, charged: [2000], creditCents: 0 })
      const { payments } = await stage.gateway.look(customer)
      t.deepEqual(
        payments.map(({ status }) => status),
        ['failed', 'paid'],
      )
    }
  },

  async 'a change before a month is charged begins another month, which is paid in full, and alone'(t, stage) {
    const up = await renewed(stage, 'pro')
    await stage.gateway.change({ subscription: up.subscription, tier: 'team', when: 'now', key: newId() })
    t.deepEqual(await later(stage, up.customer), { tier: 'team', charged: [2000, 8000], creditCents: 0 })
    for (const when of ['now', 'period_end'] as const) {
      const down = await renewed(stage, 'team')
      await stage.gateway.change({ subscription: down.subscription, tier: 'pro', when, key: newId() })
      t.deepEqual(await later(stage, down.customer), { tier: 'pro', charged: [8000, 2000], creditCents: 0 })
    }
  },

  async 'a change that is refused before a month is charged leaves that month to be charged'(t, stage) {
    const { customer, subscription } = await renewed(stage, 'pro')
    const { reference: left } = await stage.gateway.attach(customer, 'pm_card_visa')
    const card = await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    await t.throwsAsync(stage.gateway.change(change), { code: 'PAYMENT_FAILED' })
    await stage.gateway.detach(customer, card.reference, [left])
    t.deepEqual(await later(stage, customer), { tier: 'pro', charged: [2000, 2000], creditCents: 0 })
  },

  async 'what is left half done when a month is not paid is finished by the next attempt'(t, stage) {
    const { customer, subscription } = await renewed(stage, 'pro')
    stage.double.trouble('GET /v1/invoices?', 'lost', 3)
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    await t.throwsAsync(stage.gateway.change(change), { code: 'INTERNAL_ERROR' })
    await stage.gateway.change(change)
    t.deepEqual(await later(stage, customer), { tier: 'team', charged: [2000, 8000], creditCents: 0 })
    const other = await renewed(stage, 'pro')
    stage.double.trouble('GET /v1/invoices?', 'lost', 3)
    await t.throwsAsync(stage.gateway.cancel(other.subscription, 'now'), { code: 'INTERNAL_ERROR' })
    await stage.gateway.cancel(other.subscription, 'now')
    t.deepEqual(await later(stage, other.customer), { tier: undefined, charged: [2000], creditCents: 0 })
  },

  async 'an overdue month is taken back, also if only the next attempt finds out'(t, stage) {
    for (const trouble of ['none', 'lost'] as const) {
      const { customer, subscription } = await renewed(stage, 'pro')
      await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
      stage.clock.forward(3600)
      stage.double.settle()
      await stage.gateway.attach(customer, 'pm_card_visa')
      const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
      if (trouble === 'lost') {
        stage.double.trouble('POST /v1/subscriptions/', 'lost', 3)
        await t.throwsAsync(stage.gateway.change(change), { code: 'INTERNAL_ERROR' })
      }
      await stage.gateway.change(change)
      const invoices = [...stage.double.world.invoices.values()].filter((one) => one.customer === customer)
      t.deepEqual(
        invoices.map(({ status }) => status),
        ['paid', 'void', 'paid'],
      )
    }
  },
}
