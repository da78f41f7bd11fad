import type { ListToolsResult, Tool } from '@modelcontextprotocol/server'
import { CodedError, problemAt } from '../../src/errors.ts'
import { isId } from '../../src/ids.ts'
import type { OfferedTool, Place } from './offered.ts'

/** The most tools on a page, and the most UTF-16 units of their JSON texts. One tool always fits. */
const mostTools = 100
const mostUnits = 512 * 1024

/** The first tools of an offer, as many as fit a page. */
export async function toolsPage(offer: AsyncIterable<OfferedTool>): Promise<ListToolsResult> {
  const tools: Tool[] = []
  let units = 0
  let last: Place | undefined
  for await (const { name, place, describe } of offer) {
    const tool = { name, ...describe() }
    units += JSON.stringify(tool).length
    if (last && last.section !== 'reading' && (tools.length === mostTools || units > mostUnits))
      return { tools, nextCursor: cursorOf(last) }
    tools.push(tool)
    last = place
  }
  return { tools }
}

const cursorOf = ({ section, id, name }: Place): string => Buffer.from(`${section} ${id} ${name}`).toString('base64url')

/** The place that a cursor names: the last one of the page before. VALIDATION_ERROR for another cursor. */
export function placeIn(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, section, id = '', name = ''] = /^(agents|sites) ([\da-f-]{36}) ([\w-]{1,64})$/.exec(text) ?? []
  if (!isId(id)) throw new CodedError('VALIDATION_ERROR', problemAt('cursor', 'The cursor is not from this list.'))
  return { section: section as Place['section'], id, name }
}
