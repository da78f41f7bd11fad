import test from 'ava'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { mcpRpc } from '../../helpers/mcp-rpc.ts'
import { newOwner } from '../../helpers/owner.ts'
import { startPlatform } from '../../helpers/platform.ts'

test('after 50 seconds, a client learns where to find what its call and its run have not ended yet', async (t) => {
  const platform = await startPlatform(t, { worker: true, env: { SITE_TIMEOUT_SECONDS: '70' } })
  const owner = await newOwner(t, platform)
  const { vaultEntryId } = await owner.site()
  const agent = await owner.agent({
    name: 'Sleeper',
    systemPrompt: '[[call slow_once {"seconds": 60}]]',
    sites: [{ vaultEntryId }],
  })
  const client = { url: owner.url, token: await keyOf(owner, ['read', 'write']) }
  const use = async (name: string, given: object) =>
    jsonOf((await mcpRpc(client, 'tools/call', { name, arguments: given })).body?.result)
  const began = performance.now()
  const [call, run] = await Promise.all([
    use(`example_of_bad_tools_slow_once_${vaultEntryId.slice(-8)}`, { seconds: 60 }),
    use(`run_sleeper_${agent.id.slice(-8)}`, {}),
  ])
  t.true(performance.now() - began < 58_000, 'the response does not wait for the site')
  t.like(call, { vaultEntryId, status: 'started' })
  t.like(await use('get_call', { vaultEntryId, callId: call['callId'] }), { id: call['callId'], tool: 'slow_once' })
  t.is((await owner.run(String(run['runId']))).endedAt, null)
  t.is((await owner.ended(String(run['runId']))).status, 'completed')
})
