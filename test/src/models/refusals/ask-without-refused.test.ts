import test from 'ava'
import { askWithoutRefused } from '../../../../src/models/refusals/ask-without-refused.ts'
import { refusalOf } from './refusal-of.ts'

const tools = ['create', 'find', 'list', 'odd'].map((name) => ({ name }))
type Tool = (typeof tools)[number]

const refusal = (message: string) => refusalOf(400, { error: { message } })

/** Asks a provider, and notes the names that each request had. */
async function asked(answer: (names: string[]) => string, given = tools) {
  const requests: string[][] = []
  const ask = async (sent: Tool[]) => {
    const names = sent.map(({ name }) => name)
    requests.push(names)
    return answer(names)
  }
  const result = await askWithoutRefused(given, { ask, hasBegun: () => false, onRefused: async () => undefined })
  return { requests, ...result }
}

test('a tool that is named without being the reason is offered again, and is not taken for refused', async (t) => {
  const { requests, refused } = await asked((names) => {
    if (names.includes('odd')) throw refusal("The function 'create' and the schema of 'odd' do not go together")
    return 'fine'
  })
  t.deepEqual(requests, [
    ['create', 'find', 'list', 'odd'],
    ['find', 'list', 'odd'],
    ['create', 'find', 'list'],
  ])
  t.deepEqual(refused, [{ name: 'odd' }])
})

test('two tools with the same fault at the same place are both left out', async (t) => {
  const { refused } = await asked((names) => {
    const at = names.findIndex((name) => name === 'find' || name === 'list')
    if (at >= 0) throw refusal(`tools.${at}.custom.input_schema: not allowed`)
    return 'fine'
  })
  t.deepEqual(refused, [{ name: 'find' }, { name: 'list' }])
})

test('tools that are too many are left out without being refused', async (t) => {
  const many = Array.from({ length: 14 }, (_, index) => ({ name: `t${index}` }))
  const { requests, refused, beyond, most } = await asked((names) => {
    if (names.length > 10) throw refusal('Too many tools: at most 10 are taken')
    return 'fine'
  }, many)
  t.deepEqual(
    requests.map(({ length }) => length),
    [14, 10],
  )
  t.deepEqual([refused, beyond, most], [[], many.slice(10), 10])
})
