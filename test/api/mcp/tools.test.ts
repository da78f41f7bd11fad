import test from 'ava'
import { keyOf, jsonOf, mcpClient, textOf } from '../../helpers/mcp-clients.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

test('a client lists the tools of connected sites and calls one, in both eras of the protocol', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const key = await keyOf(owner, ['read', 'write'])
  for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const) {
    const client = await mcpClient(t, { url: owner.url, key, mode })
    const { tools } = await client.listTools()
    console.log(JSON.stringify(tools, null, 1).slice(0, 3000))
    const tool = tools.find(({ name }) => name.endsWith('slow_once'))
    t.truthy(tool)
    const result = await client.callTool({ name: tool?.name ?? '', arguments: { text: 'hello' } })
    t.falsy(result.isError, textOf(result))
    console.log(jsonOf(result), site.requests().length)
  }
})
