import type { ListToolsResult, Tool } from '@modelcontextprotocol/server'
import { assertThat } from '../../src/errors.ts'
import type { OfferedTool } from './offered.ts'

/** The most tools on a page, and the most UTF-16 units of their JSON texts. One tool always fits. */
const mostTools = 100
const mostUnits = 512 * 1024

/** The tools after the cursor, which is the last name of the page before. VALIDATION_ERROR for another cursor. */
export function toolsPage(offer: readonly OfferedTool[], cursor: string | undefined): ListToolsResult {
  const after = cursor === undefined ? '' : nameIn(cursor)
  const rest = offer.filter(({ name }) => name > after)
  const tools: Tool[] = []
  let units = 0
  for (const { name, describe } of rest.slice(0, mostTools)) {
    const tool = { name, ...describe() }
    units += JSON.stringify(tool).length
    if (tools.length > 0 && units > mostUnits) break
    tools.push(tool)
  }
  const last = tools.at(-1)
  return {
    tools,
    ...(last && tools.length < rest.length && { nextCursor: Buffer.from(last.name).toString('base64url') }),
  }
}

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  const message = 'The cursor is not from this list.'
  assertThat(/^[\w-]{1,64}$/.test(name), 'VALIDATION_ERROR', { message, details: [{ path: 'cursor', message }] })
  return name
}
