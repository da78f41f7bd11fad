import { readFileSync } from 'node:fs'
import { connect } from './connect.ts'
import { openFronts } from './front.ts'
import { platformAt, type Settings } from './platform-client.ts'
import { sampleOf } from './sample.ts'

/*
 * The client under test, as `conformance client --command` runs it: the platform connects the address in the last argument,
 * lists its tools and calls each of them once. The scenarios judge what arrives at the address.
 */
const [settingsFile = '', address = ''] = process.argv.slice(2)
const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as Settings
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env

interface Context {
  /** Calls that the scenario asks for, in place of one of each tool. */
  toolCalls?: { name: string; arguments: Record<string, unknown> }[]
}

const platform = platformAt(settings)
const { outward } = openFronts(settings)
const context = JSON.parse(given) as Context
const entryId = await connect(platform, { url: await outward(address), scenario })
const tools = await platform.toolsOf(entryId)
const calls = context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: sampleOf(inputSchema) }))
for (const call of calls) console.log(call.name, await platform.call(entryId, call.name, call.arguments))
process.exit(0)
