import test from 'ava'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readRetryAfter, retryAfter } from '../../../src/safe-fetch/retry-after.ts'
import { ownEnvironment } from '../../helpers/servers.ts'

const now = new Date('2026-11-22T11:50:00.000Z')

const rows: [text: string, seconds: number | undefined][] = [
  // Seconds
  ['0', 0],
  ['45.5', 46],
  ['292.05', 293],
  [' 120 ', 120],
  ['86401', 86_400],
  ['9'.repeat(150), 86_400],
  // The same header several times
  ['10, 10', 10],
  ['Sun, 22 Nov 2026 12:00:00 GMT, Sun, 22 Nov 2026 12:00:00 GMT', 600],
  // Dates
  ['Sun, 22 Nov 2026 12:00:00 GMT', 600],
  ['Sun, 22 Nov 2026 13:00:00 +0100', 600],
  ['Sunday, 22-Nov-26 12:00:00 GMT', 600],
  ['Sun, 22-Nov-2026 12:00:00 GMT', 600],
  ['Sun Nov 22 12:00:00 2026', 600],
  ['Sun Nov  1 12:00:00 2026', 0],
  ['2026-11-22T12:00:00Z', 600],
  ['2026-11-22 07:00:00 -0500', 600],
  ['Sun, 22 Nov 2026 11:49:00 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  // What can mean several times, or none
  ['', undefined],
  ['-5', undefined],
  ['0x10', undefined],
  ['1e3', undefined],
  ['10, 20', undefined],
  ['45,5', undefined],
  ['12:00:00', undefined],
  ['2026-11-22', undefined],
  ['2026-11-22T12:00:00', undefined],
  ['Sun, 31 Nov 2026 12:00:00 GMT', undefined],
  ['Sun, 22 Nov 2026 25:00:00 GMT', undefined],
  ['Sun, 22 Nov 2026 12:00:00 GMT, Sun, 22 Nov 2026 12:00:01 GMT', undefined],
  [`${' '.repeat(300)}10`, undefined],
]

test('a Retry-After of one meaning is read as seconds', (t) => {
  for (const [text, seconds] of rows) t.is(readRetryAfter(text, now), seconds, text)
})

test('of a response at least one second is waited, also for a time that is over, and none without a header', (t) => {
  t.deepEqual(retryAfter(new Headers({ 'Retry-After': '0' })), { retryAfter: 1 })
  t.deepEqual(retryAfter(new Headers({ 'Retry-After': 'Sun, 06 Nov 1994 08:49:37 GMT' })), { retryAfter: 1 })
  const twice = new Headers([
    ['Retry-After', '10'],
    ['Retry-After', '10'],
  ])
  t.deepEqual(retryAfter(twice), { retryAfter: 10 })
  t.deepEqual(retryAfter(new Headers()), {})
  t.is(readRetryAfter(undefined, now), undefined)
})

test('a two-digit year is the nearest of the next fifty years or the last ones', (t) => {
  const date = (year: string) => `Monday, 01-Jan-${year} 00:00:00 GMT`
  t.is(readRetryAfter(date('27'), new Date('2026-12-31T23:59:00Z')), 60)
  t.is(readRetryAfter(date('76'), now), 86_400)
  t.is(readRetryAfter(date('77'), now), 0)
})

test('a header of many repetitions is read at once', (t) => {
  const begun = performance.now()
  for (const text of [`${'1,'.repeat(99)}2`, `${'a'.repeat(199)}!`, `${'ab,'.repeat(66)}c`, ','.repeat(200)]) {
    t.is(readRetryAfter(text, now), undefined)
  }
  t.true(performance.now() - begun < 1000)
})

test('dates are read in GMT, whatever the zone of the server', async (t) => {
  const module = new URL('../../../src/safe-fetch/retry-after.ts', import.meta.url)
  const dates = rows.filter(([text]) => text.includes(':'))
  const source = `import { readRetryAfter } from ${JSON.stringify(module.href)}
    const texts = ${JSON.stringify(dates.map(([text]) => text))}
    const read = texts.map((text) => readRetryAfter(text, new Date(${now.getTime()})) ?? null)
    process.stdout.write(JSON.stringify(read))`
  const env = { ...ownEnvironment(), TZ: 'America/New_York' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', source], {
    env,
  })
  t.deepEqual(
    JSON.parse(stdout),
    dates.map(([, seconds]) => seconds ?? null),
  )
})
