// @promise roles
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as callbacks from '../../api/callbacks.ts'
import * as notificationWebhooks from '../../api/notification-webhooks.ts'
import * as runs from '../../api/runs.ts'
import { call, type Client } from '../helpers/client.ts'
import { customer, webhookAgent } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { memberOf, workspaceOf } from '../helpers/workspaces.ts'

/* Secrets that can start runs, and addresses of callbacks, which may hold a key, are shown to those who may build. */

const open = sharedPlatform(test, 'idle')
const callbackUrl = 'https://hooks.example.com/runs?key=a-key-of-the-owner'
const hidden = 'https://hooks.example.com/runs?…'

test('viewers and keys to read see neither secrets nor the query of a callback address, wherever it is shown', async (t) => {
  const platform = await open()
  const boss = await customer(platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(boss)
  const agent = await webhookAgent(boss, { workspaceId, callbackUrl })
  await call(boss, notificationWebhooks.setNotificationWebhook, { body: { workspaceId, url: callbackUrl } })
  const run = await start(boss, agent)
  await call(boss, runs.cancelRun, { params: { runId: run.body.id } })
  const keyWith = async (...scopes: ('read' | 'write')[]): Promise<Client> => {
    const { body } = await call(boss, apiKeys.createApiKey, { body: { workspaceId, name: 'A key', scopes } })
    return { url: platform.url, token: body.key }
  }
  const seen = async (client: Client) => {
    const params = { agentId: agent.id }
    const one = await call(client, agents.getAgent, { params })
    const all = await call(client, agents.listAgents, { query: { workspaceId } })
    const posted = await call(client, callbacks.getCallback, { params: { runId: run.body.id } })
    const allPosted = await call(client, callbacks.listCallbacks, { params })
    const told = await call(client, notificationWebhooks.getNotificationWebhook, { query: { workspaceId } })
    const text = JSON.stringify([one.body, all.body, posted.body, allPosted.body, told.body])
    const isShown = [one.body.webhookSecret, one.body.callbackSecret].map(
      (secret) => secret?.startsWith('whsec_') ?? false,
    )
    const urls = [one.body.callbackUrl, posted.body.url, allPosted.body.items[0]?.url, told.body.url]
    return [...urls, text.includes('a-key-of-the-owner'), text.includes('whsec_'), ...isShown]
  }
  const none = [hidden, hidden, hidden, hidden, false, false, false, false]
  t.deepEqual(await seen(await memberOf(platform, workspaceId, 'viewer')), none)
  t.deepEqual(await seen(await keyWith('read')), none)
  const whole = [callbackUrl, callbackUrl, callbackUrl, callbackUrl, true, true, true, true]
  t.deepEqual(await seen(boss), whole)
  t.deepEqual(await seen(await memberOf(platform, workspaceId, 'member')), whole)
  t.deepEqual(await seen(await keyWith('read', 'write')), whole)
})
