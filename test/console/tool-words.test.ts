import test from 'ava'
import { byScope, missingInWords, toolDoes, toolInWords, toolsFor } from '../../console/screens/sites/tool-words.ts'

const table = [
  ['read', 'read', 'reads'],
  ['read', 'admin', 'reads'],
  ['idempotent', 'write', 'changes'],
  ['once', 'write', 'changes each time'],
  ['idempotent', 'delete', 'deletes'],
  ['once', 'delete', 'deletes'],
  ['once', 'admin', 'administers'],
  // A site may declare that a tool acts although it needs no more than reading.
  ['once', 'read', 'changes each time'],
] as const

for (const [effect, scope, word] of table) {
  test(`a tool with the effect ${effect} and the scope ${scope} ${word}`, (t) => {
    t.is(toolDoes({ effect, scope }).word, word)
  })
}

test('what a tool does is also told in sentences', (t) => {
  t.is(toolInWords({ effect: 'read', scope: 'read' }), 'Only reads. The call changes nothing at the site.')
  t.is(
    toolInWords({ effect: 'read', scope: 'admin' }),
    'Only reads. The call changes nothing at the site. It may administer.',
  )
})

const tools = [
  { name: 'drop', scope: 'delete' },
  { name: 'find', scope: 'read' },
  { name: 'list', scope: 'read' },
] as const

test('tools are grouped by scope, from what allows least to what allows most', (t) => {
  t.deepEqual(
    byScope(tools).map(({ scope, tools: found }) => [scope, found.map(({ name }) => name)]),
    [
      ['read', ['find', 'list']],
      ['delete', ['drop']],
    ],
  )
})

test('a choice of scopes names its tools, and no tools if all are meant', (t) => {
  t.deepEqual(toolsFor(tools, ['read']), ['find', 'list'])
  t.deepEqual(toolsFor(tools, []), [])
  t.is(toolsFor(tools, ['delete', 'read']), undefined)
})

test('tools that cannot be called are counted', (t) => {
  t.is(missingInWords([{ usable: true }]), undefined)
  t.regex(missingInWords([{ usable: false }, { usable: true }]) ?? '', /^1 tool cannot .* it needs\.$/)
  t.regex(missingInWords([{ usable: false }, { usable: false }]) ?? '', /^2 tools cannot .* they need\.$/)
})
