import test from 'ava'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as notifications from '../../../api/notifications.ts'
import * as vault from '../../../api/vault.ts'
import { oauthStages } from '../../api/oauth-stage.ts'
import { openSession, send } from '../../chat/stage.ts'
import { call } from '../../helpers/client.ts'
import { agentOf } from '../../helpers/people.ts'
import { waiting } from '../../helpers/runs.ts'

const stage = oauthStages(test, 'working')

for (const how of ['a direct call', 'a run', 'a chat'] as const) {
  test(`a site that refuses every token, new ones too, is asked for one and no more by ${how}`, async (t) => {
    const { site, someone, connect, platform } = await stage(t)
    const entryId = await connect()
    const params = { entryId }
    site.tokenForms.length = 0
    /** What is on record of a direct call when the site gets it. */
    const begun: unknown[] = []
    const record = () => platform.services.database('direct_tool_calls').where({ vaultEntryId: entryId })
    site.tool = (_request, response) =>
      void record()
        .first('attempts', 'refusedAttempts')
        .then((row) => begun.push(row))
        .then(() => response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end('{}'))
    const use = () => call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })

    if (how === 'a direct call') {
      t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR')
      const attempts = [1, 2].map((number) => ({ attempts: number, refusedAttempts: number - 1 }))
      t.deepEqual(begun, attempts, 'if its process dies, each may have taken effect')
    } else if (how === 'a chat') {
      const session = await openSession(someone, { sites: [{ vaultEntryId: entryId, askFirst: [] }] })
      t.is((await send(session, { text: '[[call act]]' })).status, 200)
    } else {
      const agent = await agentOf(someone, { sites: [{ vaultEntryId: entryId }], systemPrompt: '[[call act]]' })
      const { body } = await call(someone, agentRuns.startRun, { params: { agentId: agent.id } })
      t.like(await waiting(someone, body.id), { waitingCause: 'credential', steps: 1 })
    }
    const counts = () => [site.tokenForms.length, site.toolTokens.length, new Set(site.toolTokens).size]
    t.deepEqual(counts(), [1, 2, 2], 'one refresh, and one call with each token')
    const { body: entry } = await call(someone, vault.getVaultEntry, { params })
    t.is(entry.status, 'needs_reauth')

    for (let round = 0; round < 3; round += 1) t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR')
    t.deepEqual(counts(), [1, 2, 2], 'what is dead is not tried')
    const { items } = (await call(someone, notifications.listNotifications)).body
    t.like(items, { 0: { kind: 'credential_dead', subjectId: entryId }, length: 1 })
  })
}
