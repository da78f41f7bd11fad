import test from 'ava'
import { placeIn, toolsPage } from '../../../api/mcp/list-page.ts'
import { agentToolName, siteToolName, tailIn, tailOf } from '../../../api/mcp/names.ts'
import type { OfferedTool } from '../../../api/mcp/offered.ts'
import { newId } from '../../../src/ids.ts'

const [one, other] = [newId(), newId()]

test('a name depends on nothing but its own site and tool, and no other tool can have it', (t) => {
  const tools = ['add', 'crm.add', 'crm add', 'crm_add', 'x'.repeat(100), `${'x'.repeat(99)}y`, 'é', '-x', '9']
  // A site may try to take the name of another of its tools: with the hash, or with the end, in its own name.
  const wanted = tools.map((tool) => siteToolName({ id: one, name: 'CRM' }, tool))
  const takers = wanted.map((name) => name.replace(/^crm_/, '').slice(0, -9))
  const sites = [
    { id: one, name: 'CRM' },
    { id: other, name: 'CRM' },
    { id: newId(), name: 'crm add' },
    { id: newId(), name: '日本' },
    { id: newId(), name: '3D printing and so on, at length' },
  ]
  const names = sites.flatMap((site) => [...new Set([...tools, ...takers])].map((tool) => siteToolName(site, tool)))
  const agents = sites.map((site) => agentToolName(site))
  t.is(new Set([...names, ...agents]).size, names.length + agents.length)
  for (const name of [...names, ...agents]) t.regex(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
  t.is(siteToolName({ id: one, name: 'CRM' }, 'add'), `crm_add_${one.slice(-8)}`)
  t.is(agentToolName({ id: one, name: 'Daily report' }), `run_daily_report_${one.slice(-8)}`)
  for (const name of wanted) t.is(tailIn(name), tailOf(one))
  t.is(tailIn('list_runs'), undefined)
})

test('a long list comes in pages, by number and by size, and every tool is on one of them', async (t) => {
  const offerOf = (count: number, description: string) =>
    Array.from({ length: count }, (_, index): OfferedTool => {
      const name = `tool_${String(index).padStart(4, '0')}`
      return { name, place: { section: 'sites', id: one, name }, describe: () => ({ description, inputSchema }) }
    })
  const inputSchema = { type: 'object' as const }
  for (const [offer, pages] of [
    [offerOf(250, 'small'), 3],
    [offerOf(5, 'x'.repeat(300_000)), 5],
    [offerOf(0, ''), 1],
  ] as const) {
    let seen: string[] = []
    let cursor: string | undefined
    let count = 0
    do {
      const after = cursor === undefined ? '' : placeIn(cursor).name
      const page = await toolsPage(inTurn(offer.filter(({ name }) => name > after)))
      seen = [...seen, ...page.tools.map(({ name }) => name)]
      cursor = page.nextCursor
      count += 1
    } while (cursor !== undefined)
    t.is(count, pages)
    t.deepEqual(
      seen,
      offer.map(({ name }) => name),
    )
  }
  for (const cursor of ['', 'no cursor!', Buffer.from(`sites ${one} a b`).toString('base64url')])
    t.throws(() => placeIn(cursor), { message: 'The cursor is not from this list.' })
})

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) {
    await Promise.resolve()
    yield item
  }
}
