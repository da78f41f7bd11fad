import { queryOptions } from '@tanstack/react-query'
import { client, type Api } from '../api/client.ts'

/** The owner's connection to a site. null if the site is not connected. */
export const entryAtQuery = (workspaceId: string | undefined, origin: string) =>
  queryOptions({
    queryKey: ['entry at', workspaceId, origin],
    queryFn: async () => (await readEntryAt(workspaceId, origin)) ?? null,
  })

/** An owner has one connection to an origin at most, and some hundred connections. */
export async function readEntryAt(
  workspaceId: string | undefined,
  origin: string,
): Promise<Api['VaultEntry'] | undefined> {
  const owner = workspaceId === undefined ? {} : { workspaceId }
  let cursor: string | undefined
  do {
    const query = { limit: 100, ...owner, ...(cursor === undefined ? {} : { cursor }) }
    const { data, error } = await client.GET('/vault', { params: { query } })
    if (data === undefined) throw error
    const found = data.items.find((entry) => entry.origin === origin)
    if (found) return found
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return undefined
}
