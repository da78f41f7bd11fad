import { randomBytes } from 'node:crypto'
import test from 'ava'
import type { AgentWithSites } from '../../../src/agents/agent.ts'
import { createWebhookSecrets } from '../../../src/agents/webhook-secrets.ts'
import type { Database } from '../../../src/database/database.ts'
import { createSealing } from '../../../src/secrets/sealing.ts'

test('a former secret is good until its time is over, and not a moment longer', (t) => {
  const sealing = createSealing([{ name: 'k', key: randomBytes(32) }])
  let now = new Date('2026-11-22T12:00:00Z')
  const nowhere = undefined as unknown as Database
  const get = () => Promise.reject<AgentWithSites>(new Error('no agent is read'))
  const secrets = createWebhookSecrets({ database: nowhere, clock: { now: () => now }, sealing, get })
  const until = new Date('2026-11-22T13:00:00Z')
  const agent = {
    id: 'a',
    webhookSecret: sealing.seal('present', { id: 'a', column: 'agents.webhook_secret' }),
    previousWebhookSecret: sealing.seal('former', { id: 'a', column: 'agents.previous_webhook_secret' }),
    previousWebhookSecretUntil: until,
  }
  t.deepEqual(secrets.goodSecretsOf(agent), ['present', 'former'])
  t.is(secrets.previousUntil(agent), until)
  now = until
  t.deepEqual(secrets.goodSecretsOf(agent), ['present'])
  t.is(secrets.previousUntil(agent), null)
})
