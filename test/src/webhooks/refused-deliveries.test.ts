import test from 'ava'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'refused deliveries', startPlatform)

test('nothing is delivered to an owner whose payment is overdue', async (t) => {
  const platform = await open()
  const { database } = platform.services
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  t.is((await deliver(someone, agent, {})).status, 202)
  const { ownerId } = (await database('agents').where({ id: agent.id }).first('ownerId')) as { ownerId: string }
  await database('accounts').where({ ownerId }).update({ subscriptionStatus: 'past_due' })
  t.is((await deliver(someone, agent, {})).failure.code, 'SUBSCRIPTION_PAST_DUE')
})

test('a required field is not there because every object of JavaScript has one of its name', async (t) => {
  const someone = await customer(await open())
  const webhookSchema = [{ name: 'toString', type: 'string' as const, required: true }]
  const agent = await webhookAgent(someone, { webhookSchema })
  const { failure } = await deliver(someone, agent, {})
  t.like(failure, {
    code: 'WEBHOOK_PAYLOAD_INVALID',
    details: [{ path: 'toString', message: 'This field is required.' }],
  })
  t.is((await deliver(someone, agent, { toString: 'text' })).status, 202)
})
