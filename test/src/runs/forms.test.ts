import test, { type ExecutionContext } from 'ava'
import * as vault from '../../../api/vault.ts'
import { asked, decide } from '../../helpers/approvals.ts'
import { askingTools } from '../../helpers/asking-tools.ts'
import { call } from '../../helpers/client.ts'
import { startMcpServer } from '../../helpers/mcp-server.ts'
import { agentOf, customer, ended, runOf, timelineOf } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { dataOf, start, waiting } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'forms', (t) => startPlatform(t, { worker: true }))

/** A run that waits because the tool that it calls asks a person. */
async function asking(t: ExecutionContext, toolName: string, askFirst: string[] = []) {
  const ordered: unknown[] = []
  const [platform, server] = [await platformOf(), await startMcpServer(t, { more: askingTools(ordered) })]
  const someone = await customer(platform)
  const entry = (await call(someone, vault.addToVault, { body: { url: server.url } })).body
  const systemPrompt = `[[call ${toolName}]] [[then]] [[say Done.]]`
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: entry.id, askFirst }] })
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  const next = async () => {
    const [approval] = await asked(someone)
    if (!approval) throw new Error('nobody was asked')
    return approval
  }
  const bodies = () => server.calls().map(({ body }) => JSON.parse(body) as { params: Record<string, unknown> })
  const result = async () =>
    dataOf(await timelineOf(someone, id), 'tool.finished').map(({ result }) => JSON.stringify(result))
  return { server, someone, id, next, ordered, bodies, result }
}

test('a run waits for what a tool asks in the middle of its call, and the call ends with the answer', async (t) => {
  const { server, someone, id, next, ordered, bodies, result } = await asking(t, 'order')
  t.like(await runOf(someone, id), { waitingCause: 'approval', waitingFor: server.url })
  const approval = await next()
  t.like(approval, { tool: 'order', siteOrigin: server.url, status: 'pending', input: null })
  t.like(approval.form, {
    message: 'What do you order?',
    fields: { 0: { name: 'size', kind: 'choice' }, 1: { name: 'amount' } },
  })
  t.is(server.calls().length, 1)
  const decided = await decide(someone, approval.id, 'approve', { input: { size: 'Size m', amount: '3' } })
  t.like(decided.body, { status: 'approved', input: { size: 'm', amount: 3 } })
  t.like(await ended(someone, id), { status: 'completed', steps: 2 })
  t.deepEqual(ordered, [{ size: 'm', amount: 3 }])
  t.deepEqual(bodies()[1]?.params['requestState'], 'order "1"')
  t.is(server.calls().length, 2)
  t.deepEqual(await result(), ['{"content":[{"type":"text","text":"Ordered."}]}'])
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'tool.finished'), { 0: { status: 'succeeded', attempts: 2 }, length: 1 })
  t.is(dataOf(timeline, 'approval.requested').length, 1)
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'approved' }, length: 1 })
})
