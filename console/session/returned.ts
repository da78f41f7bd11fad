import { to } from '../addresses.ts'
import { client } from '../api/client.ts'
import { notify } from '../design/notices.ts'
import { flowInWords } from '../parts/returned-flow.ts'

interface Place {
  pathname: string
  search: object
  searchStr: string
}

/**
 * Where to go when the browser has come back from a site: the same page without the id of the flow, or what a site can
 * do that was just connected. Says what came of it. undefined if the address names no flow.
 */
export async function returnedFrom({ pathname, search, searchStr }: Place, owner: string) {
  const flowId = new URLSearchParams(searchStr).get('flow')
  if (flowId === null) return undefined
  const { data: flow } = await client.GET('/vault/oauth/flows/{flowId}', { params: { path: { flowId } } })
  if (flow?.status === 'connected' && flow.entryId !== null && /\/sites\/connect\/?$/.test(pathname))
    return to.connect(owner, { entry: flow.entryId })
  if (flow) {
    const { kind, text } = flowInWords(flow)
    notify(kind, text)
  }
  // The page that was open before is not known to the types.
  return { to: pathname, search: { ...search, flow: undefined } as never }
}
