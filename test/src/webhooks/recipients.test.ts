// @promise at-once
import test from 'ava'
import * as billing from '../../../api/billing.ts'
import { createRecipients } from '../../../src/webhooks/recipients.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

test('an account that changed while an agent was read, and changed back, is not remembered as it was in between', async (t) => {
  const { services } = await platformOf()
  const owner = await newOwner(t, await platformOf())
  const { id } = await owner.webhookAgent()
  const setCap = (creditsPerMonth: number | null) =>
    call(owner, billing.updateBilling, { body: { creditsPerMonth } }).then(({ body }) => body)
  let meanwhile: (() => Promise<unknown>) | undefined = () => setCap(0)
  const forSender = async (agentId: string) => {
    const agent = await services.agents.forSender(agentId)
    await meanwhile?.()
    meanwhile = undefined
    return agent
  }
  const recipients = createRecipients({ ...services, agents: { ...services.agents, forSender } })
  t.is((await recipients.current(id)).recipient.standing.balance, 0)
  await setCap(null)
  const { standing } = (await recipients.current(id)).recipient
  t.true(standing.balance >= 1, `the cap is lifted, but the balance is ${standing.balance}`)
})
