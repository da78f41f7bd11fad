import * as webhooks from '../../../api/webhooks.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import { hoarder } from '../hoarder.ts'
import type { Spender } from '../spender.ts'
import { secretOf, type Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function webhooksTable(stage: Stage, { ask }: Recorder, spender: Spender): Table {
  const { platform, agent, params } = stage
  const { agentId = '', runId = '' } = params
  const { database } = platform.services
  const receive = (to: { id: string; webhookSecret: string }, client = stage.nobody) =>
    ask(client, webhooks.receiveWebhook, {
      params: { agentId: to.id },
      raw: '{"title":"It is broken"}',
      headers: { 'x-webhook-secret': to.webhookSecret },
    })
  /** Delivers to an agent whose owner's account was changed as only time can, or what is not there yet. */
  async function afterChange(change: Record<string, unknown>) {
    const someone = await customer(platform)
    const theirs = await webhookAgent(someone)
    await database('accounts')
      .update(change)
      .whereIn('ownerId', database('users').select('id').where({ email: someone.email }))
    return receive(theirs)
  }
  const withdraw = (id: string) =>
    ask(stage.nobody, webhooks.withdrawDelivery, { params: { agentId, runId: id }, headers: secretOf(stage) })
  const withdrawNew = async () => {
    const outcome = (await receive(agent)).body
    return withdraw(outcome.runId)
  }
  return {
    receiveWebhook: {
      done: () => receive(agent),
      PERMISSION_DENIED: async () => receive((await stage.suspended()).agent),
      WEBHOOK_SECRET_INVALID: () => receive({ ...agent, webhookSecret: 'wrong' }),
      // A subscription cannot be ended by request yet.
      TIER_REQUIRED: () => afterChange({ tier: 'free', currentPeriodEnd: null }),
      SUBSCRIPTION_PAST_DUE: () => afterChange({ subscriptionStatus: 'past_due' }),
      async WEBHOOK_PAYLOAD_INVALID() {
        return receive(await webhookAgent(stage.owner, { webhookSchema: [{ name: 'content', type: 'string' }] }))
      },
      async FEATURE_LIMIT_REACHED() {
        const { someone, agent: full } = await hoarder(stage.platform)
        return receive(full, { url: someone.url })
      },
      async NO_CREDITS() {
        const { someone, agent: poor } = await spender()
        return receive(poor, { url: someone.url })
      },
    },
    getDelivery: {
      done: () => ask(stage.nobody, webhooks.getDelivery, { params: { agentId, runId }, headers: secretOf(stage) }),
      WEBHOOK_SECRET_INVALID: () => ask(stage.nobody, webhooks.getDelivery, { params: { agentId, runId } }),
    },
    withdrawDelivery: {
      done: withdrawNew,
      WEBHOOK_SECRET_INVALID: () => ask(stage.nobody, webhooks.withdrawDelivery, { params: { agentId, runId } }),
      RUN_NOT_CANCELLABLE: async () => withdraw((await withdrawNew()).body.runId),
    },
  }
}
