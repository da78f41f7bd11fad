import test from 'ava'
import { endingOf, isDestructive, outcomeInWords } from '../../console/parts/approval-words.ts'

const tools = [
  ['read', 'read', false],
  ['read', 'admin', false],
  ['once', 'write', false],
  ['idempotent', 'write', false],
  ['once', 'delete', true],
  ['idempotent', 'delete', true],
  ['once', 'admin', true],
] as const

for (const [effect, scope, asks] of tools)
  test(`approving a tool with the effect ${effect} and the scope ${scope} ${asks ? 'asks once more' : 'asks once'}`, (t) => {
    t.is(isDestructive({ effect, scope }), asks)
  })

test('approving a tool that is not known asks once more', (t) => t.true(isDestructive(undefined)))

test('what came of a form is said in other words than what came of a call', (t) => {
  const form = { message: 'Which size?', fields: [] }
  t.regex(endingOf({ status: 'refused', form: null }), /was not made/)
  t.regex(endingOf({ status: 'refused', form }), /tells the site/)
  t.is(outcomeInWords({ status: 'approved', note: null, tool: 'order', form }, ''), 'Answered: order continues.')
})

test('a decision is told, and also that somebody else was faster', (t) => {
  const tool = 'delete_issue'
  t.is(outcomeInWords({ status: 'approved', note: null, tool }, ''), 'Approved: delete_issue is called now.')
  t.is(outcomeInWords({ status: 'refused', note: 'No.', tool }, 'No.'), 'Refused: delete_issue is not called.')
  t.regex(outcomeInWords({ status: 'refused', note: null, tool }, 'No.'), /^Somebody else refused/)
  t.regex(outcomeInWords({ status: 'approved', note: 'Fine.', tool }, ''), /^Somebody else approved/)
})
