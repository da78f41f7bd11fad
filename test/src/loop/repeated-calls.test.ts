// @promise budgets
import test from 'ava'
import { longestStreak, streak } from '../../../src/loop/repeated-calls.ts'

test('calls are identical when name and arguments are, character by character, and the longest streak counts', (t) => {
  const one = (name: string, text = '{}') => ({ name, arguments: text })
  t.is(streak([]), 0)
  t.is(streak([one('a'), one('a'), one('a')]), 3)
  t.is(streak([one('a'), one('b'), one('a')]), 1)
  t.is(streak([one('a'), one('a', '{"x":1}'), one('a', '{"x":1}')]), 2)
  t.is(streak([one('a'), one('a', '{ }')]), 1)
  t.is(longestStreak([]), 0)
  t.is(longestStreak([one('b'), one('a'), one('a'), one('a'), one('b'), one('b')]), 3)
})
