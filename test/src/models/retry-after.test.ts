import test from 'ava'
import { providerPause } from '../../../src/models/retry-after.ts'

const now = new Date('2026-11-22T12:00:00Z')

const rows: [headers: Record<string, string>, seconds: number | undefined][] = [
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
  [{ 'retry-after-ms': ' 0.0001 ' }, 1],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9],
  [{ 'retry-after-ms': '999999999' }, 86_400],
  [{ 'retry-after': 'Sun, 22 Nov 2026 12:00:40 GMT' }, 40],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Sun, 22 Nov 2026 11:59:00 GMT' }, 0],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '3, 5' }, undefined],
  [{}, undefined],
]

test('a provider says its pause in milliseconds, which are more exact, or in Retry-After', (t) => {
  for (const [headers, seconds] of rows) t.is(providerPause(headers, now), seconds, JSON.stringify(headers))
  t.is(providerPause(undefined, now), undefined)
})
