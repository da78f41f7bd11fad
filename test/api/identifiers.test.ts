import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as moves from '../../api/moves.ts'
import * as notifications from '../../api/notifications.ts'
import * as runs from '../../api/runs.ts'
import { withCanonicalIds, withCanonicalParams } from '../../api/route/canonical-ids.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { workspaceOf } from '../helpers/workspaces.ts'

const platformOf = sharedPlatform(test, 'idle')

test('filters and bodies take identifiers in capitals, and a parameter against caches changes nothing', async (t) => {
  const owner = await newOwner(t, await platformOf(), 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const { id: agentId, webhookSecret } = await owner.webhookAgent()
  const { runId } = (await owner.deliver({ id: agentId, webhookSecret }, {})).body
  const query = { agentId: agentId.toUpperCase(), _: '1763715600000' } as Record<string, string>
  const { items } = (await call(owner, runs.listRuns, { query })).body
  t.true(items.some(({ id }) => id === runId))
  const there = { workspaceId: workspaceId.toUpperCase() }
  const made = (
    await call(owner, agents.createAgent, {
      body: { name: 'A', systemPrompt: 'B', trigger: 'manual', ...there },
    })
  ).body
  t.is(made.ownerId, workspaceId)
  const moved = await call(owner, moves.moveThings, { body: { agentIds: [made.id.toUpperCase()] } })
  t.deepEqual(moved.body.agentIds, [made.id])
  t.is((await call(owner, notifications.markNotifications, { body: { upTo: newId().toUpperCase() } })).status, 200)
  const plain = await call(owner, agents.getAgent, { params: { agentId }, query: { _: '1' } as never })
  t.is(plain.body.id, agentId, 'where no query is declared, too')
})

test('identifiers of a client, and what is inside of arguments, stay as they are', (t) => {
  const [id, other] = [newId(), newId()]
  const capitals = id.toUpperCase()
  const given = {
    agentId: capitals,
    agentIds: [capitals, other],
    sites: [{ vaultEntryId: capitals, tools: [capitals] }],
    messageId: capitals,
    name: capitals,
    arguments: { issueId: capitals },
  }
  t.deepEqual(withCanonicalIds(given), {
    ...given,
    agentId: id,
    agentIds: [id, other],
    sites: [{ vaultEntryId: id, tools: [capitals] }],
  })
  t.deepEqual(withCanonicalParams({ runId: capitals, chatId: capitals, host: 'X' }), {
    runId: id,
    chatId: capitals,
    host: 'X',
  })
})
