import test from 'ava'
import { execa } from 'execa'
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

test('the pause that a provider asks for is read in each form of its header, within a day', (t) => {
  for (const [header, seconds] of rows) t.is(readRetryAfter({ 'retry-after': header }, now), seconds, header)
})

test('a date without a zone is in GMT, whatever zone the server is in', async (t) => {
  const module = new URL('../../../src/models/retry-after.ts', import.meta.url).href
  const program = `
    const { readRetryAfter } = await import(${JSON.stringify(module)})
    const headers = { 'retry-after': 'Sun Nov 22 12:00:40 2026' }
    process.stdout.write(new Date(0).getHours() + " " + readRetryAfter(headers, new Date(${now.getTime()})))`
  const args = ['--input-type=module', '-e', program]
  const { stdout } = await execa(process.execPath, args, { env: { TZ: 'America/New_York' } })
  t.is(stdout, '19 40')
})

test('milliseconds go before seconds', (t) => {
  t.is(readRetryAfter({ 'retry-after-ms': '1500', 'retry-after': '9' }, now), 2)
  t.is(readRetryAfter({}, now), undefined)
})
