import * as adminClock from '../../../api/admin-clock.ts'
import * as billing from '../../../api/billing.ts'
import * as statements from '../../../api/statements.ts'
import { monthOf } from '../../../src/billing/ledger/forecast.ts'
import * as payments from '../../../api/payments.ts'
import { person, type Person } from '../../helpers/people.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

const thisMonth = () => monthOf(new Date())

export function billingTable(
  { platform, owner, admin, params: { agentId = '', runId = '' } }: Stage,
  { ask }: Recorder,
): Table {
  const add = (someone: Person, paymentMethod: string) =>
    ask(someone, billing.addPaymentMethod, { body: { paymentMethod } })
  const subscribe = (someone: Person) => ask(someone, billing.subscribe, { body: { tier: 'pro' } })
  const statement = (month: string) => ask(owner, statements.getStatement, { params: { month } })
  const agentStatement = (month: string) => ask(owner, statements.getAgentStatement, { params: { agentId, month } })
  const buy = (someone: Person) => ask(someone, payments.buyCredits, { body: { credits: 100 } })
  const topUp = { isOn: true, below: 1, credits: 100, centsPerMonth: 1000 }
  return {
    updateBilling: { done: () => ask(owner, billing.updateBilling, { body: { creditsPerMonth: null } }) },
    listStatements: { done: () => ask(owner, statements.listStatements) },
    getStatement: {
      done: () => statement(thisMonth()),
      NOT_FOUND: () => statement('never'),
    },
    getAgentStatement: {
      done: () => agentStatement(thisMonth()),
      NOT_FOUND: () => agentStatement('never'),
    },
    getRunStatement: { done: () => ask(owner, statements.getRunStatement, { params: { runId } }) },
    getBilling: { done: () => ask(owner, billing.getBilling) },
    listPaymentMethods: { done: () => ask(owner, billing.listPaymentMethods) },
    previewSubscription: { done: () => ask(owner, billing.previewSubscription, { query: { tier: 'free' } }) },
    listTiers: { done: () => ask({ url: platform.url }, billing.listTiers) },
    cancelSubscription: {
      async done() {
        const someone = await person(platform)
        await add(someone, 'pm_card_visa')
        await subscribe(someone)
        return ask(someone, billing.cancelSubscription)
      },
      NOT_FOUND: async () => ask(await person(platform), billing.cancelSubscription),
    },
    listPayments: { done: () => ask(owner, payments.listPayments) },
    getTopUp: { done: () => ask(owner, payments.getTopUp) },
    setTopUp: {
      done: () => ask(owner, payments.setTopUp, { body: topUp }),
      NO_PAYMENT_METHOD: async () => ask(await person(platform), payments.setTopUp, { body: topUp }),
    },
    buyCredits: {
      done: () => buy(owner),
      NO_PAYMENT_METHOD: async () => buy(await person(platform)),
      async PAYMENT_FAILED() {
        const someone = await person(platform)
        await add(someone, 'pm_card_chargeCustomerFail')
        return buy(someone)
      },
      async SUBSCRIPTION_PAST_DUE() {
        const someone = await person(platform)
        await add(someone, 'pm_card_visa')
        await subscribe(someone)
        await add(someone, 'pm_card_chargeCustomerFail')
        const params = { userId: await userIdOf(someone) }
        await ask(admin, adminClock.advanceClock, { params, body: { seconds: 32 * 86_400 } })
        return buy(someone)
      },
    },
    listLedger: { done: () => ask(owner, billing.listLedger) },
    addPaymentMethod: {
      done: () => add(owner, 'pm_card_mastercard'),
      PAYMENT_FAILED: () => add(owner, 'pm_card_chargeDeclined'),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(21, () => add(someone, 'pm_card_visa'))
      },
    },
    removePaymentMethod: {
      async done() {
        const { body } = await add(owner, 'pm_card_visa')
        return ask(owner, billing.removePaymentMethod, { params: { paymentMethodId: body.id } })
      },
    },
    subscribe: {
      done: () => subscribe(owner),
      NO_PAYMENT_METHOD: async () => subscribe(await person(platform)),
      async PAYMENT_FAILED() {
        const someone = await person(platform)
        await add(someone, 'pm_card_chargeCustomerFail')
        return subscribe(someone)
      },
    },
  }
}
