import test from 'ava'
import { agentsInWords, endInWords, loginState } from '../../console/screens/sites/login-words.ts'

const now = Date.parse('2026-11-27T09:00:00.000Z')
const accepted = '2026-11-01T09:00:00.000Z'

const table = [
  ['bearer', 'connected', accepted, null, 'connected', 'good', 'no known end'],
  ['oauth2', 'connected', accepted, null, 'connected', 'good', 'refreshed automatically'],
  ['bearer', 'connected', null, null, 'not tried', 'calm', 'no known end'],
  ['none', 'connected', null, null, 'connected', 'good', 'no login needed'],
  ['oauth2', 'connected', null, null, 'connected', 'good', 'refreshed automatically'],
  ['oauth2', 'connected', accepted, '2026-12-27T09:00:00.000Z', 'connected', 'good', 'ends in 30 days'],
  ['oauth2', 'connected', accepted, '2026-12-04T09:00:00.000Z', 'connected', 'good', 'ends in 7 days'],
  ['oauth2', 'connected', accepted, '2026-11-30T10:00:00.000Z', 'ends soon', 'warn', 'ends in 3 days'],
  ['oauth2', 'connected', null, '2026-11-27T12:00:00.000Z', 'ends soon', 'warn', 'ends in 3 h'],
  ['oauth2', 'connected', accepted, '2026-11-27T08:00:00.000Z', 'ended', 'bad', 'ended 1 h ago'],
  ['oauth2', 'refresh_failing', accepted, null, 'not refreshed', 'warn', 'the site refuses'],
  ['oauth2', 'needs_reauth', accepted, '2026-11-27T08:00:00.000Z', 'reconnect', 'bad', 'runs wait for a login'],
  ['bearer', 'needs_reauth', null, null, 'reconnect', 'bad', 'runs wait for a login'],
] as const

for (const [authType, status, acceptedAt, endsAt, word, tone, beside] of table) {
  test(`a login (${authType}, ${status}, ${acceptedAt ? 'accepted' : 'not tried'}, ends at ${endsAt}) reads "${word}, ${beside}"`, (t) => {
    t.deepEqual(loginState({ authType, status, acceptedAt, endsAt }, now), { word, tone, beside })
  })
}

test('the end of a login is told in whole days, and in hours on its last day', (t) => {
  t.is(endInWords('2026-11-28T09:00:00.000Z', now), 'ends in 1 day')
  t.is(endInWords('2026-11-28T08:59:59.000Z', now), 'ends in 23 h')
  t.is(endInWords('2026-11-27T09:00:00.000Z', now), 'ended now')
})

test('a count of agents stops at a hundred', (t) => {
  t.deepEqual([0, 1, 2, 100].map(agentsInWords), ['no agent', '1 agent', '2 agents', '100 agents or more'])
})
