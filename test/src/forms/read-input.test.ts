import test from 'ava'
import type { FormField } from '../../../src/forms/form.ts'
import { readInput } from '../../../src/forms/read-input.ts'

const field = (facts: Partial<FormField> = {}): FormField => ({
  name: 'a',
  title: null,
  description: null,
  kind: 'text',
  isRequired: true,
  choices: [],
  min: null,
  max: null,
  preset: null,
  ...facts,
})

const read = (facts: Partial<FormField>, given: Record<string, unknown>) =>
  readInput({ message: '', fields: [field(facts)] }, given)

const choices = [
  { value: 's', title: 'Small' },
  { value: 'm', title: 'Other' },
  { value: 'l', title: 'Other' },
]

/** A field, what is given for it, and its value; a text that begins with `!` is a part of the problem. */
const rows: [Partial<FormField>, unknown, unknown][] = [
  [{}, ' a ', ' a '],
  [{}, 12, '12'],
  [{}, ['a'], '!must be a text'],
  [{}, 'a\0', '!must be a text'],
  [{ min: 2 }, 'a', '!at least 2'],
  [{ max: 2 }, 'abc', '!at most 2'],
  [{ max: 2 }, '😀😀', '😀😀'],
  [{}, 'a'.repeat(4001), '!at most 4000'],
  [{}, '', '!is required'],
  [{}, null, '!is required'],
  [{ kind: 'email' }, ' a@example.com ', 'a@example.com'],
  [{ kind: 'email' }, 'a at example.com', '!email address'],
  [{ kind: 'uri' }, 'https://example.com/a', 'https://example.com/a'],
  [{ kind: 'uri' }, 'example', '!must be an address'],
  [{ kind: 'date' }, '2026-02-28', '2026-02-28'],
  [{ kind: 'date' }, '2026-02-29', '!must be a date'],
  [{ kind: 'date' }, '28.2.2026', '!must be a date'],
  [{ kind: 'date-time' }, '2026-02-28T10:00:00+01:00', '2026-02-28T10:00:00+01:00'],
  [{ kind: 'date-time' }, '2026-02-28T25:00:00Z', '!must be a time'],
  [{ kind: 'number' }, '1.5e2', 150],
  [{ kind: 'number' }, -0.5, -0.5],
  [{ kind: 'number' }, '0x10', '!must be a number'],
  [{ kind: 'number' }, '1,5', '!must be a number'],
  [{ kind: 'number' }, '9'.repeat(400), '!must be a number'],
  [{ kind: 'number', min: 1 }, 0, '!at least 1'],
  [{ kind: 'number', max: 1 }, '2', '!at most 1'],
  [{ kind: 'integer' }, '3.0', 3],
  [{ kind: 'integer' }, 3.5, '!whole number'],
  [{ kind: 'integer' }, '12345678901234567890', '!whole number'],
  [{ kind: 'boolean' }, 'True', true],
  [{ kind: 'boolean' }, false, false],
  [{ kind: 'boolean' }, 'yes', '!true or false'],
  [{ kind: 'choice', choices }, 's', 's'],
  [{ kind: 'choice', choices }, 'Small', 's'],
  [{ kind: 'choice', choices }, 'Other', '!must be one of "s", "m", "l"'],
  [{ kind: 'choice', choices }, ['s'], '!must be one of'],
  [{ kind: 'choices', choices }, ['l', 'Small', 'l'], ['l', 's']],
  [{ kind: 'choices', choices }, 'm', ['m']],
  [{ kind: 'choices', choices }, [], []],
  [{ kind: 'choices', choices, isRequired: false, min: 1 }, [], undefined],
  [{ kind: 'choices', choices, preset: ['s'] }, undefined, ['s']],
  [{ kind: 'choices', choices, preset: ['s'] }, [], []],
  [{ kind: 'choices', choices }, ['s', 'Other'], '!must be a list of some of "s", "m", "l"'],
  [{ kind: 'choices', choices }, [['s']], '!must be a list of some of'],
  [{ kind: 'choices', choices, min: 2 }, ['s', 's'], '!at least 2 values'],
  [{ kind: 'choices', choices, max: 1 }, ['s', 'm'], '!at most 1 values'],
  [{ kind: 'choices', choices }, Array.from({ length: 101 }, () => 's'), '!at most 100 values'],
  [{ preset: 'p' }, undefined, 'p'],
  [{ preset: 'p', isRequired: false }, '', undefined],
  [{ kind: 'choice', choices, preset: 'x' }, undefined, '!must be one of'],
  [{ isRequired: false }, undefined, undefined],
]

for (const [facts, given, expected] of rows)
  test(`${JSON.stringify(given)} for ${JSON.stringify(facts)} is ${JSON.stringify(expected)}`, (t) => {
    const found = read(facts, given === undefined ? {} : { a: given })
    if (typeof expected !== 'string' || !expected.startsWith('!'))
      return t.deepEqual(found, { input: expected === undefined ? {} : { a: expected } })
    const [problem] = 'problems' in found ? found.problems : []
    t.is(problem?.path, 'input.a')
    return t.true(problem?.message.includes(expected.slice(1)), problem?.message)
  })

test('every wrong value is named, also one of no field, whatever its name is', (t) => {
  const form = { message: '', fields: [field({ name: '__proto__' }), field({ name: 'b', isRequired: false })] }
  t.deepEqual(readInput(form, JSON.parse('{"constructor": 1, "b": ["c"]}') as Record<string, unknown>), {
    problems: [
      { path: 'input.constructor', message: 'is not a field of the form' },
      { path: 'input.__proto__', message: 'is required' },
      { path: 'input.b', message: 'must be a text' },
    ],
  })
  const given = JSON.parse('{"__proto__": "d"}') as Record<string, unknown>
  t.is(JSON.stringify(readInput(form, given)), '{"input":{"__proto__":"d"}}')
})
