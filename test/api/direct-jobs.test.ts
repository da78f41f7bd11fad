// @promise direct-calls
import test, { type ExecutionContext } from 'ava'
import * as calls from '../../api/calls.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { done, withTaskServer } from '../helpers/tasks.ts'

const platformOf = sharedPlatform(test, 'idle')

/** A direct call that its site works on, and how it is looked up. */
async function working(t: ExecutionContext, platform: Platform) {
  const { server, someone, vaultEntryId: entryId } = await withTaskServer(t, platform)
  const answer = call(someone, vault.callTool, { params: { entryId, toolName: 'work' }, body: {} })
  await eventually(30, 'the site is asked', () => server.asked('tasks/get').length > 0 || undefined)
  const [listed] = (await call(someone, calls.listCalls, { params: { entryId } })).body.items
  const look = async () => (await call(someone, calls.getCall, { params: { entryId, callId: listed?.id ?? '' } })).body
  return { server, answer, look }
}

test('a direct call waits for what its site works on, and shows its progress meanwhile', async (t) => {
  const { server, answer, look } = await working(t, await platformOf())
  const seen = await look()
  t.like(seen, { status: 'started', attempts: 1, progress: { text: 'Reading the sources.' } })
  t.false(JSON.stringify(seen).includes('taskId'))
  server.said = done
  t.like((await answer).body, { result: { content: [{ type: 'text', text: 'All done.' }] } })
  t.like(await look(), { status: 'succeeded', attempts: 1, progress: null })
  t.is(server.calls().length, 1)
})

test('a direct call is in doubt if its site works on it longer than a response may take', async (t) => {
  const platform = await startPlatform(t, { env: { SITE_TIMEOUT_SECONDS: '3' } })
  const { server, answer, look } = await working(t, platform)
  const { failure } = await answer
  t.like(failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'unknown' })
  t.regex(failure.error, /still works on the call/)
  t.like(await look(), { status: 'unknown', progress: null })
  t.is(server.calls().length, 1)
  t.is(server.asked('tasks/cancel').length, 0)
})
