import test from 'ava'
import { readRetryAfter } from '../../../src/models/retry-after.ts'

const now = new Date('2026-11-22T12:00:00Z')

const rows: [header: string, seconds: number | undefined][] = [
  ['90', 90],
  ['45.5', 46],
  [' 120 ', 120],
  ['Sun, 22 Nov 2026 12:00:40 GMT', 40],
  ['Sunday, 22-Nov-26 12:00:40 GMT', 40],
  ['Sun Nov 22 12:00:40 2026', 40],
  ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
  ['999999', 86_400],
  ['-5', undefined],
  ['3, 5', undefined],
  ['soon', undefined],
]

// Not parallel: the zone is the process's.
test.serial(
  'the pause that a provider asks for is read in each form of its header, in GMT whatever zone the server is in',
  (t) => {
    const zone = process.env['TZ']
    for (const local of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      process.env['TZ'] = local
      for (const [header, seconds] of rows) t.is(readRetryAfter({ 'retry-after': header }, now), seconds, header)
    }
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  },
)

test.serial('milliseconds go before seconds', (t) => {
  t.is(readRetryAfter({ 'retry-after-ms': '1500', 'retry-after': '9' }, now), 2)
  t.is(readRetryAfter({}, now), undefined)
})
