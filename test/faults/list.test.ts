import test from 'ava'
import { redact } from '../../src/logger.ts'
import { loops } from '../../src/loops.ts'
import { without } from './edits.ts'
import { chosen, problemOf, type Fault } from './fault.ts'
import { faults } from './index.ts'

for (const fault of faults) {
  test(`the fault ${fault.id} can be planted, and names tests that exist`, async (t) => {
    t.is(await problemOf(fault, faults), undefined)
  })
}

test('there are at most 80 faults', (t) => t.true(faults.length <= 80))

const fault: Fault = {
  id: 'entries/made-up',
  in: { loops },
  edit: without('ObjectExpression:has([value.value="mails"])'),
  why: 'it is made up',
  tests: ['test/faults/list.test.ts'],
}

test('what is wrong with a fault is said', async (t) => {
  const problem = (changes: Partial<Fault>) => problemOf({ ...fault, ...changes }, faults)
  t.is(await problem({ id: faults[0]!.id }), 'another fault has this id')
  t.is(await problem({ tests: ['test/gone.test.ts'] }), 'no such test file: test/gone.test.ts')
  t.is(await problem({ tests: [] }), 'it names no tests')
  t.regex((await problem({ in: redact }))!, /cannot be planted: .*the selector finds nothing/)
  t.regex((await problem({ in: { gone: loops } }))!, /cannot be planted: no file exports gone/)
})

test('faults are chosen by parts of their id or place', (t) => {
  const list = [fault, { ...fault, id: 'secrets/other', in: redact }]
  t.deepEqual(chosen(list, ['made']), [fault])
  t.deepEqual(chosen(list, ['redact', 'loops']), list)
  t.deepEqual(chosen(list, []), list)
})
