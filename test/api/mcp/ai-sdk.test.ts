import { createMCPClient } from '@ai-sdk/mcp'
import test from 'ava'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

test("the AI SDK's MCP client lists the tools, calls one, runs an agent and reads the run", async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const agent = await owner.agent({ name: 'Daily report', systemPrompt: '[[say Sunny.]]' })
  const headers = { Authorization: `Bearer ${await keyOf(owner, ['read', 'write'])}` }
  const client = await createMCPClient({ transport: { type: 'http', url: `${owner.url}/mcp`, headers } })
  t.teardown(() => client.close())
  const tools = await client.tools()
  const use = async (name: string, input: object) => {
    const result: unknown = await tools[name]?.execute?.(input, { toolCallId: name, messages: [], context: {} })
    return jsonOf(result)
  }
  t.like(await use(`example_of_bad_tools_slow_once_${site.vaultEntryId.slice(-8)}`, { seconds: 0 }), {
    result: { waited: 0 },
  })
  const run = await use(`run_daily_report_${agent.id.slice(-8)}`, {})
  t.is(run['status'], 'completed')
  t.like(await use('get_run', { runId: run['runId'] }), { id: run['runId'], answer: run['answer'] })
  t.like(await use('list_runs', {}), { items: [{ id: run['runId'] }] })
})
