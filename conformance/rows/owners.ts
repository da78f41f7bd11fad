import { createAgent } from '../agents.ts'
import type { Answer, Json, Request } from '../client.ts'
import type { Code } from '../codes.ts'
import { accepted, assert, assertSame, refused } from '../expect.ts'
import { foreignFilters, foreignRequests, lists, ofOwner } from '../foreign-requests.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { makeThings } from '../owned-things.ts'
import { plainEntry } from './sites.ts'
import { workspaceOf } from '../member.ts'

const needs = ['cards', 'directives', 'ownSites'] as const

/** One of the owner's things of each kind. */
const thingsOf = (stage: Stage) =>
  stage.once('things', async () => {
    const [{ entryId: vaultEntryId }, { id }] = [await plainEntry(stage), await workspaceOf(stage)]
    return makeThings(stage, await stage.people.owner(), { vaultEntryId, workspaceId: String(id) })
  })

/** Checks that the owner still has everything. */
async function assertUntouched({ client, people }: Stage, things: Awaited<ReturnType<typeof thingsOf>>) {
  const { token } = await people.owner()
  const { agent, run, entry, approval, workspace } = things
  const read = async (url: string) => accepted(await client.send({ url, token }))
  const names = [(await read(`/agents/${agent}`))['name'], (await read(`/workspaces/${workspace}`))['name']]
  assertSame(names, ['Conformance', 'Conformance'], 'the names of agent and workspace')
  assertSame((await read(`/approvals/${approval}`))['status'], 'pending', 'the status of the approval')
  assertSame((await read(`/runs/${run}`))['status'], 'waiting', 'the status of the run')
  assertSame((await read(`/vault/${entry}`))['status'], 'connected', 'the status of the vault entry')
}

/** Checks that a list contains nothing of others. */
function assertOwn(answer: Answer, strangerId: string, foreign: readonly string[]): void {
  const { asked, text } = answer
  const items = accepted(answer)['items'] as Json[]
  const isForeign = ({ ownerId = strangerId }: Json) => ownerId !== strangerId
  const shows = foreign.some((id) => text.includes(id)) || items.some(isForeign)
  assert(!shows, `${asked} shows a stranger what others have`)
}

export const ownerRows: Row[] = [
  {
    id: 'owners/Lists',
    says: 'a list has nothing of other owners, also if one of them or a thing of theirs is named',
    needs,
    async run(stage) {
      const { client, people } = stage
      const [things, owner, stranger] = [await thingsOf(stage), await people.owner(), await people.spender()]
      const foreign = [owner.id, ...Object.values(things).filter((id) => id !== null)]
      await inParallel(Object.entries(lists), async ([url, kind]) => {
        const { text } = await client.send({ url, token: owner.token })
        assert(text.includes(things[kind] ?? ''), `GET ${url} lacks what its owner has`)
        assertOwn(await client.send({ url, token: stranger.token }), stranger.id, foreign)
      })
      await inParallel(foreignFilters(things), async (url) => {
        const { items } = accepted(await client.send({ url, token: stranger.token }))
        assertSame(items, [], `what GET ${url.replace(/=.*/, '')} lists`)
      })
      await inParallel(ofOwner(owner.id), async (request) =>
        refused(await client.send({ ...request, token: stranger.token }), 'WORKSPACE_NOT_FOUND'),
      )
      return `${Object.keys(lists).length} lists have what their owner has, and nothing of it for a stranger`
    },
  },
  {
    id: 'owners/Things',
    says: 'for strangers, the things of another owner do not exist, whatever the operation',
    needs,
    async run(stage) {
      const { client, people } = stage
      const [things, { token }] = [await thingsOf(stage), await people.spender()]
      const requests = Object.entries(foreignRequests(things)) as [Code, Request[]][]
      for (const [code, all] of requests)
        await inParallel(all, async (request) => refused(await client.send({ ...request, token }), code))
      const sites = [{ vaultEntryId: things.entry }]
      refused(await createAgent(client, { token }, { sites }), 'VALIDATION_ERROR')
      refused(await client.send({ method: 'POST', url: '/sessions', token, body: { sites } }), 'VALIDATION_ERROR')
      await assertUntouched(stage, things)
      return `${requests.map(([code, all]) => `${all.length} times ${code}`).join(', ')}; all is as it was`
    },
  },
]

const inParallel = <T>(items: readonly T[], work: (item: T) => Promise<unknown>) => Promise.all(items.map(work))
