import { readFileSync } from 'node:fs'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { callInRun } from './call-in-run.ts'
import { connect, reconnect, type Registered } from './connect.ts'
import { openFronts } from './front.ts'
import { platformAt, type Settings } from './platform-client.ts'
import { sampleOf } from './sample.ts'

/*
 * The client under test, as `conformance client --command` runs it: the platform connects the address in the last
 * argument, lists its tools and calls each of them. The scenarios judge what arrives at the address.
 */
interface Context extends Registered {
  /** Calls that the scenario asks for, in place of one of each tool. */
  toolCalls?: PlannedCall[]
}

interface PlannedCall {
  name: string
  arguments: Record<string, unknown>
}

const [settingsFile = '', address = ''] = process.argv.slice(2)
const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as Settings
const context = JSON.parse(readLocalConfig().environment['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context
const platform = platformAt(settings)
const { outward } = openFronts(settings)

const entryId = await connect(platform, await outward(address), context).catch(refused)
const tools = await platform.toolsOf(entryId)
const ofEach = tools.map(({ name, inputSchema }): PlannedCall => ({ name, arguments: sampleOf(inputSchema) }))
for (const planned of context.toolCalls ?? ofEach) await use(planned)
process.exit(0)

/** A list without a usable tool is refused, which is no failure of the program. */
function refused(error: unknown): never {
  if (!String(error).includes('MANIFEST_INVALID')) throw error
  console.log(String(error))
  process.exit(0)
}

/** Calls a tool. If the server wants its user to sign in again, as for another scope, the owner does so once. */
async function use({ name, arguments: all }: PlannedCall): Promise<void> {
  // Arguments that do not fit the schema of the tool are not sent, and no schema of a scenario has null.
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  const answer = await platform.call(entryId, name, given)
  console.log(name, answer)
  if (answer.includes('only in runs and chats')) console.log(name, await callInRun(platform, entryId, name, given))
  if (!(await platform.needsOwner(entryId))) return
  await reconnect(platform, entryId)
  console.log(name, await platform.call(entryId, name, given))
}
