import test from 'ava'
import { scopesInWords, tickedAfter, tickedAtFirst } from '../../console/screens/apps/app-words.ts'

test('everything that an app asks for is ticked at first, except decisions', (t) => {
  t.deepEqual(tickedAtFirst(['read', 'run', 'decide']), ['read', 'run'])
  t.deepEqual(tickedAtFirst(['decide']), [])
})

test('a tick changes one scope and keeps the order', (t) => {
  t.deepEqual(tickedAfter(['read', 'run', 'decide'], ['run'], 'read', true), ['read', 'run'])
  t.deepEqual(tickedAfter(['read', 'run', 'decide'], ['read', 'run'], 'read', false), ['run'])
})

test('what an app may do is one line', (t) => {
  t.is(scopesInWords(['read', 'run']), 'see your tools, agents and runs; call your tools and start your agents')
})
