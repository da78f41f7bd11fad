// @promise roles
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as callbacks from '../../api/callbacks.ts'
import * as runs from '../../api/runs.ts'
import { call, type Client } from '../helpers/client.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, workspaceOf } from '../helpers/workspaces.ts'

/* The address of callbacks may hold a key: those see it who see the agent's other secrets. */

const open = forWholeFile(test, 'shown addresses', (t) => startPlatform(t))
const callbackUrl = 'https://hooks.example.com/runs?key=a-key-of-the-owner'
const hidden = 'https://hooks.example.com/runs?…'

test('viewers and keys to read see no query of a callback address, wherever it is shown', async (t) => {
  const platform = await open()
  const boss = await customer(platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(boss)
  const agent = await agentOf(boss, { workspaceId, callbackUrl })
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
    const text = JSON.stringify([one.body, all.body, posted.body, allPosted.body])
    return [one.body.callbackUrl, posted.body.url, allPosted.body.items[0]?.url, text.includes('a-key-of-the-owner')]
  }
  t.deepEqual(await seen(await memberOf(platform, workspaceId, 'viewer')), [hidden, hidden, hidden, false])
  t.deepEqual(await seen(await keyWith('read')), [hidden, hidden, hidden, false])
  const whole = [callbackUrl, callbackUrl, callbackUrl, true]
  t.deepEqual(await seen(boss), whole)
  t.deepEqual(await seen(await memberOf(platform, workspaceId, 'member')), whole)
  t.deepEqual(await seen(await keyWith('read', 'write')), whole)
})
