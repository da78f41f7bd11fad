import * as calls from '../calls.ts'
import { read, readIfExists, type Asking } from './read-lists.ts'
import type { Item } from './write.ts'

/** How many calls are listed at a time, without their contents. */
const limit = 100

/** The owner's direct calls to sites that are no longer connected. */
export async function* formerCalls(asking: Asking): AsyncGenerator<Item> {
  const { services, ownerId } = asking
  for (let cursor: string | undefined | null; cursor !== null;) {
    const page = await services.tools.listFormer(ownerId, { limit, cursor })
    for (const { id, vaultEntryId, siteOrigin } of page.items) {
      const named = { resource: { id: vaultEntryId, ownerId }, params: { callId: id } }
      const one = readIfExists(() => read(calls.getCall, asking, named))
      for await (const record of one) yield { record: { vaultEntryId, site: siteOrigin, ...record } }
    }
    cursor = page.nextCursor
  }
}
