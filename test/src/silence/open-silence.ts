import type { ExecutionContext, TestFn } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as notifications from '../../../api/notifications.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { createServices, type Services } from '../../../src/services.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/** For each test an owner with a webhook agent, and processes with a clock to move, which judge on request. */
export function silenceForFile(test: TestFn) {
  const idle = sharedPlatform(test, 'idle')
  return async (t: ExecutionContext) => {
    const platform = await idle()
    const someone = await customer(platform)
    const agent = await webhookAgent(someone)
    const clock = movableClock(new Date().toISOString())

    function openProcess(): Services {
      const services = createServices(platform.config, createLogger('silent', 'test'), { clock })
      t.teardown(() => services.close())
      return services
    }
    const first = openProcess()

    /** What the process answers: 202, or the code of the refusal. */
    async function deliver(secret = agent.webhookSecret, { webhooks } = first): Promise<unknown> {
      const header = (name: string) => (name.toLowerCase() === 'x-webhook-secret' ? secret : undefined)
      const body = Buffer.from(JSON.stringify({ number: newId() }))
      const about = { agentId: agent.id, requestId: newId(), address: '192.0.2.1' }
      const request = { ...about, header, readBody: async () => body, assertJson: () => undefined }
      const outcome = await webhooks.deliver(request).catch((error: { code?: string }) => error.code)
      return typeof outcome === 'string' ? outcome : 202
    }

    /** Twenty deliveries, twelve hours apart. */
    async function makeUsual(): Promise<void> {
      for (let i = 0; i < 20; i += 1) {
        if (i > 0) clock.forward(12 * 3600)
        t.is(await deliver(), 202)
        await first.silence.flush()
      }
    }
    const params = { agentId: agent.id }
    const shown = async () => (await call(someone, agents.getAgent, { params })).body
    const told = async () =>
      (await call(someone, notifications.listNotifications, { query: { kind: 'agent_silent' } })).body.items
    return { ...first, first, someone, agent, params, clock, openProcess, deliver, makeUsual, shown, told }
  }
}
