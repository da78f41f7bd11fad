import test from 'ava'
import * as fc from 'fast-check'
import { readScript } from '../../../src/models/demo/script.ts'

const call = (tool: string, args = '{}') => ({ kind: 'call', tool, arguments: args })
const steps = (text: string) => readScript(text).steps

test('each directive is read', (t) => {
  t.deepEqual(steps('Please [[sleep 1.5]] [[fail 429]] [[say well, then]] now'), [
    [
      { kind: 'sleep', seconds: 1.5 },
      { kind: 'fail', status: 429 },
      { kind: 'say', text: 'well, then' },
    ],
  ])
  t.deepEqual(steps('[[call crm.searchContacts]]'), [[call('crm.searchContacts')]])
})

test('the arguments of a call may contain brackets, braces and quotes', (t) => {
  const args = '{"a":[[1],{"b":"]] } \\" {"}],"c":"[[sleep 5]]"}'
  t.deepEqual(steps(`[[call search ${args} ]] [[then]] [[call other {}]]`), [[call('search', args)], [call('other')]])
})

test('calls that follow each other belong to one step', (t) => {
  t.deepEqual(steps('[[call a]][[call b]] and\n[[call c]]'), [[call('a'), call('b'), call('c')]])
})

test('sleep, fail and then open the next step once the step has a call', (t) => {
  t.deepEqual(
    steps('[[sleep 1]][[call a]][[sleep 2]][[call b]][[then]][[call c]][[fail 500]]').map((actions) =>
      actions.map(({ kind }) => kind),
    ),
    [['sleep', 'call'], ['sleep', 'call'], ['call'], ['fail']],
  )
})

test('steps without calls are joined to the next, since a step without calls ends a run', (t) => {
  t.deepEqual(
    steps('[[say a]][[then]][[then]][[sleep 1]][[call b]]').map((actions) => actions.map(({ kind }) => kind)),
    [['say', 'sleep', 'call']],
  )
})

for (const text of [
  '[[slep 5]]',
  '[[sleep]]',
  '[[sleep -1]]',
  '[[sleep 999999]]',
  '[[fail 200]]',
  '[[fail]]',
  '[[say]]',
  '[[call]]',
  '[[call search {"a":]]',
  '[[call search [1]]]',
  '[[call search {"a":1} x]]',
  '[[]]',
  '[[sleep 5',
]) {
  test(`${text} is not a directive, and is told`, (t) => {
    const { steps, unreadable } = readScript(`a ${text}`)
    t.deepEqual(steps, [])
    t.is(unreadable.length, 1)
    t.true(text.startsWith(unreadable[0] ?? 'none'))
  })
}

test('a directive that cannot be read does not hide the ones around it', (t) => {
  const { steps, unreadable } = readScript('[[call a]][[oops]][[call b]]')
  t.deepEqual([steps, unreadable], [[[call('a'), call('b')]], ['[[oops]]']])
})

test('a long one is told in its first sixty characters', (t) => {
  t.is(readScript(`[[${'x'.repeat(100)}]]`).unreadable[0]?.length, 60)
})

test('any text can be read, and one without brackets is no script', (t) => {
  const pieces = fc.constantFrom('[[', ']]', '{', '}', '"', '\\', 'call a ', 'sleep 1', 'then', 'x', ' ', '\n')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      t.true(readScript(parts.join('')).steps.every((actions) => actions.length > 0))
    }),
  )
  t.deepEqual(readScript('sleep 5, then call search'), { steps: [], unreadable: [] })
})

test('a text full of directives without an end is read in a moment, and said to have too many', (t) => {
  const { steps, unreadable } = readScript('[[call x {]]'.repeat(40_000))
  t.deepEqual(steps, [])
  t.is(unreadable.at(-1), 'more than 200 directives')
})
