import test from 'ava'
import { toolsPage } from '../../../api/mcp/list-page.ts'
import { uniqueNames } from '../../../api/mcp/names.ts'

const named = (...all: [wanted: string, key: string][]) =>
  Object.fromEntries(
    uniqueNames(
      all.map(([wanted, key]) => ({ wanted, key })),
      new Set(['why']),
    ).map(({ key, name }) => [key, name]),
  )

test("a name that two things want, or that is taken, is nobody's, and each name fits", (t) => {
  const names = named(['crm.add', 'a'], ['crm add', 'b'], ['why', 'c'], ['plain', 'd'], ['x'.repeat(100), 'e'])
  t.is(names['d'], 'plain')
  t.is(new Set(Object.values(names)).size, 5)
  for (const name of Object.values(names)) t.regex(name, /^[a-zA-Z0-9_-]{1,64}$/)
  for (const key of ['a', 'b', 'c']) t.regex(names[key] ?? '', /_[0-9a-f]{16}$/)
  // What is added changes no meaning: the old name is free, and the new ones are their own.
  t.is(named(['crm add', 'b'])['b'], 'crm_add')
  t.is(named(['crm add', 'b'], ['crm_add', 'z'])['b'], names['b'])
})

test('a long list comes in pages, by number and by size, and every tool is on one of them', (t) => {
  const offerOf = (count: number, description: string) =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool_${String(index).padStart(4, '0')}`,
      scope: 'run' as const,
      describe: () => ({ description, inputSchema: { type: 'object' as const } }),
      call: () => Promise.resolve({ content: [] }),
    }))
  for (const [offer, pages] of [
    [offerOf(250, 'small'), 3],
    [offerOf(5, 'x'.repeat(300_000)), 5],
    [offerOf(0, ''), 1],
  ] as const) {
    const seen: string[] = []
    let cursor: string | undefined
    let count = 0
    do {
      const page = toolsPage(offer, cursor)
      seen.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      count += 1
    } while (cursor !== undefined)
    t.is(count, pages)
    t.deepEqual(
      seen,
      offer.map(({ name }) => name),
    )
  }
  t.throws(() => toolsPage([], 'no cursor!'), { message: 'The cursor is not from this list.' })
})
