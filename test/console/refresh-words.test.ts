import test from 'ava'
import { nextRefreshInWords, refreshInWords, refreshState } from '../../console/screens/sites/refresh-words.ts'

const table = [
  [{ cause: 'expiry', outcome: 'refreshed', error: null, rotated: false }, ['The access token was about to expire.']],
  [
    { cause: 'keep_alive', outcome: 'refreshed', error: null, rotated: true },
    ['The login had not been used for a long time.', 'The site also issued a new refresh token.'],
  ],
  [
    { cause: 'unauthorized', outcome: 'refused', error: 'The site said no.', rotated: null },
    ['The site refused the access token.', 'The site said no.'],
  ],
  [
    { cause: 'expiry', outcome: 'ambiguous', error: null, rotated: null },
    ['The access token was about to expire.', 'It is not known whether the site used up the refresh token.'],
  ],
  [{ cause: 'expiry', outcome: null, error: null, rotated: null }, ['The access token was about to expire.']],
] as const

for (const [refresh, sentences] of table) {
  test(`a refresh (${refresh.cause}, ${refresh.outcome}) reads "${sentences.join(' ')}"`, (t) => {
    t.deepEqual(refreshInWords(refresh), [...sentences])
  })
}

test('an outcome that nobody knows is called unknown, whatever the reason', (t) => {
  t.is(refreshState('ambiguous').word, 'unknown')
  t.is(refreshState('abandoned').word, 'unknown')
  t.is(refreshState(null).word, 'under way')
})

test('the next refresh is at the first use after its time', (t) => {
  const now = Date.parse('2026-11-27T09:00:00.000Z')
  t.is(nextRefreshInWords('2026-11-27T09:00:00.000Z', now), 'at the next use')
  t.is(nextRefreshInWords('2026-11-27T09:00:01.000Z', now), 'at the first use after')
  t.is(nextRefreshInWords(null, now), 'It is not refreshed by its age.')
})
