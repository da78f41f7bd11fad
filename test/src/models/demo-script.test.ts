import test from 'ava'
import * as fc from 'fast-check'
import { readScript } from '../../../src/models/demo/script.ts'

const call = (tool: string, args = '{}') => ({ kind: 'call', tool, arguments: args })
const steps = (text: string) => readScript(text).steps

const kindsIn = (text: string) => steps(text).map((actions) => actions.map(({ kind }) => kind))

const nested = '{"a":[[1],{"b":"]] } \\" {"}],"c":"[[sleep 5]]"}'

const scripts: [text: string, read: unknown][] = [
  [
    'Please [[sleep 1.5]] [[fail 429]] [[say well, then]] now',
    [
      [
        { kind: 'sleep', seconds: 1.5 },
        { kind: 'fail', status: 429 },
        { kind: 'say', text: 'well, then' },
      ],
    ],
  ],
  ['[[call crm.searchContacts]]', [[call('crm.searchContacts')]]],
  [`[[call search ${nested} ]] [[then]] [[call other {}]]`, [[call('search', nested)], [call('other')]]],
  ['[[call a]][[call b]] and\n[[call c]]', [[call('a'), call('b'), call('c')]]],
]

test('each directive is read, and calls that follow each other belong to one step', (t) => {
  for (const [text, read] of scripts) t.deepEqual(steps(text), read as ReturnType<typeof steps>, text)
})

test('sleep, fail and then open the next step once the step has a call, since a step without calls ends a run', (t) => {
  t.deepEqual(kindsIn('[[sleep 1]][[call a]][[sleep 2]][[call b]][[then]][[call c]][[fail 500]]'), [
    ['sleep', 'call'],
    ['sleep', 'call'],
    ['call'],
    ['fail'],
  ])
  t.deepEqual(kindsIn('[[say a]][[then]][[then]][[sleep 1]][[call b]]'), [['say', 'sleep', 'call']])
})

const unreadable = ['slep 5', 'sleep', 'sleep -1', 'sleep 999999', 'fail 200', 'fail', 'say', 'call', '']
  .concat('call search {"a":', 'call search [1]', 'call search {"a":1} x')
  .map((words) => `[[${words}]]`)
  .concat('[[sleep 5')

test('what is not a directive is told in its first sixty characters, and does not hide the ones around it', (t) => {
  for (const text of unreadable) {
    const script = readScript(`a ${text}`)
    t.deepEqual(script.steps, [], text)
    t.is(script.unreadable.length, 1, text)
    t.true(text.startsWith(script.unreadable[0] ?? 'none'), text)
  }
  t.is(readScript(`[[${'x'.repeat(100)}]]`).unreadable[0]?.length, 60)
  t.deepEqual(readScript('[[call a]][[oops]][[call b]]'), {
    steps: [[call('a'), call('b')]],
    unreadable: ['[[oops]]'],
  })
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
