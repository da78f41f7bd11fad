import test from 'ava'
import { parseInstant } from '../../api/schemas/instant.ts'

test('an instant is read in any spelling of RFC 3339', (t) => {
  const nine = '2026-11-21T09:00:00.000Z'
  for (const text of [
    '2026-11-21T09:00:00Z',
    '2026-11-21t09:00:00z',
    '2026-11-21T09:00:00.000000000Z',
    '2026-11-21T10:00:00+01:00',
    '2026-11-20T21:30:00-11:30',
    '2026-11-21T09:00:00-00:00',
  ])
    t.is(parseInstant(text)?.toISOString(), nine, text)
  t.is(parseInstant('2028-02-29T00:00:00Z')?.toISOString(), '2028-02-29T00:00:00.000Z')
})

// Times are stored to the millisecond: those from .0001 on, and those before .0001, part between .000 and .001.
test('an instant between two milliseconds is the later of them', (t) => {
  t.is(parseInstant('2026-11-21T09:00:00.0001Z')?.toISOString(), '2026-11-21T09:00:00.001Z')
  t.is(parseInstant('2026-11-21T09:00:00.999999Z')?.toISOString(), '2026-11-21T09:00:01.000Z')
  t.is(parseInstant('2026-11-21T09:00:00.5Z')?.toISOString(), '2026-11-21T09:00:00.500Z')
})

test('what is no instant, or is on no calendar, is none', (t) => {
  for (const text of ['', '2026-11-21', '2026-02-29T00:00:00Z', '2026-00-01T00:00:00Z', '2026-11-21T09:00:60Z', '1'])
    t.is(parseInstant(text), undefined, text)
})
