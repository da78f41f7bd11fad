import test from 'ava'
import { longestStretch } from '../../helpers/cpu-stretch.ts'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { mcpRpc } from '../../helpers/mcp-rpc.ts'
import { newOwner } from '../../helpers/owner.ts'
import type { Platform } from '../../helpers/platform.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { newId } from '../../../src/ids.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'

const platformOf = sharedPlatform(test)

/** The event loop may be held up this long, in milliseconds of processor time, with the part of the client beside it. */
const longestMs = 50

/** Copies a connected site to a hundred sites of 190 tools each. */
async function copy({ services: { database } }: Platform, entryId: string): Promise<string[]> {
  const { manifest, ...entry } = await VaultEntry.query(database).findById(entryId).throwIfNotFound()
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`field_${n}`, { type: 'string', description: `Field ${n} of the thing` }]),
  )
  const tools = Array.from({ length: 190 }, (_, n) => ({
    name: n % 2 === 0 ? `things.act${n}` : `act_${n}`,
    description: `Does the thing with the number ${n}. `.repeat(5),
    input_schema: { type: 'object', properties },
  }))
  const copies = Array.from({ length: 99 }, (_, n) => ({
    ...entry,
    id: newId(),
    origin: `https://copy-${n}.example.com`,
    name: `Copy ${n}`,
    manifest: { ...manifest, tools },
  }))
  for (const one of copies) await VaultEntry.query(database).insert(one)
  return copies.map(({ id }) => id)
}

test('with a hundred sites of 190 tools, a call reads its own site, and each page of the list leaves others their turns', async (t) => {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const { vaultEntryId } = await owner.site()
  const client = { url: owner.url, token: await keyOf(owner, ['read', 'write']) }
  const name = `example_of_bad_tools_slow_once_${vaultEntryId.slice(-8)}`
  const act = () => mcpRpc(client, 'tools/call', { name, arguments: { seconds: 0 } })
  const page = (cursor?: string) => mcpRpc(client, 'tools/list', { ...(cursor && { cursor }) })
  const copies = await copy(platform, vaultEntryId)
  // What is loaded and compiled at first is not measured.
  for (let round = 0; round < 5; round += 1) await Promise.all([act(), page()])
  for (let round = 0; round < 3; round += 1) {
    const stretch = await longestStretch(async () => t.falsy((await act()).body?.result?.['isError']))
    t.true(stretch < longestMs, `a call held the event loop for ${stretch} ms`)
  }
  const seen = new Set<string>()
  const read = async (cursor?: string) => {
    const { result } = (await page(cursor)).body ?? t.fail('no page')
    const { tools, nextCursor } = result as { tools: { name: string }[]; nextCursor?: string }
    for (const tool of tools) seen.add(tool.name)
    return nextCursor
  }
  const cursors: (string | undefined)[] = [undefined]
  let longest = 0
  for (const cursor of cursors) {
    const turn = async () => {
      const next = await read(cursor)
      if (next !== undefined) cursors.push(next)
    }
    longest = Math.max(longest, await longestStretch(turn))
  }
  t.true(longest < longestMs, `a page held the event loop for ${longest} ms`)
  const ends = Map.groupBy(seen, (one) => one.slice(-8))
  t.deepEqual(
    copies.map((id) => ends.get(id.slice(-8))?.length),
    copies.map(() => 190),
  )
  const slow = [...seen].find((one) => one.includes('things_act0'))
  t.is(
    jsonOf((await mcpRpc(client, 'tools/call', { name: slow, arguments: { field_0: 1 } })).body?.result)['code'],
    'VALIDATION_ERROR',
  )
})
