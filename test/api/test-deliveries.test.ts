import test from 'ava'
import { listRefusedDeliveries } from '../../api/refused-deliveries.ts'
import { sendTestDelivery } from '../../api/test-deliveries.ts'
import type { WebhookProof } from '../../src/agents/agent.ts'
import { presets } from '../../src/webhooks/presets.ts'
import { call } from '../helpers/client.ts'
import { customer, webhookAgent } from '../helpers/people.ts'
import { runsOf } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const open = sharedPlatform(test, 'idle')

for (const webhookProof of Object.keys(presets) as WebhookProof[])
  test(`an agent that expects ${webhookProof} accepts its own test delivery, and no secret is shown`, async (t) => {
    const someone = await customer(await open())
    const agent = await webhookAgent(someone, { webhookProof })
    const request = { params: { agentId: agent.id }, body: { payload: { id: 'evt_1', event_id: 'Ev1' } } }
    const { body } = await call(someone, sendTestDelivery, request)
    t.like(body, { accepted: true, status: 202 })
    t.is((await runsOf(someone, agent)).length, 1)
    t.true(presets[webhookProof].header in body.headers)
    t.false(JSON.stringify(body).includes(agent.webhookSecret))
  })

test('a refused test delivery is a result, starts nothing, and is not listed among those of the sender', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const webhookSchema = [{ name: 'title', type: 'string' as const, required: true }]
  const agent = await webhookAgent(someone, { webhookSchema })
  const params = { agentId: agent.id }
  const { status, body } = await call(someone, sendTestDelivery, { params, body: { payload: { title: 1 } } })
  t.is(status, 200)
  t.like(body, { accepted: false, status: 422, code: 'WEBHOOK_PAYLOAD_INVALID' })
  t.is(body.details?.[0]?.path, 'title')
  t.is((await runsOf(someone, agent)).length, 0)
  await platform.services.refusals.flush()
  t.is((await call(someone, listRefusedDeliveries, { params })).body.items.length, 0)
})
