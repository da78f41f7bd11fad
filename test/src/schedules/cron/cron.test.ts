import test from 'ava'
import * as fc from 'fast-check'
import { daysOfMonth, parseCron } from '../../../../src/schedules/cron/cron.ts'
import { refusal } from './refusal.ts'
import { expressions } from './random-expressions.ts'

test('each field has its values, however many blanks are between them', (t) => {
  t.deepEqual(parseCron('  0,5\t6   7 Aug *\t'), {
    text: '0,5 6 7 Aug *',
    minute: [0, 5],
    hour: [6],
    dayOfMonth: [7],
    month: [8],
    dayOfWeek: [0, 1, 2, 3, 4, 5, 6],
    eitherDay: false,
  })
  const longest = `${'00,'.repeat(63)}0 0 * * *`
  t.deepEqual([longest.length, parseCron(longest).minute], [198, [0]])
  t.deepEqual(parseCron(`${longest}  `).minute, [0])
  t.throws(() => parseCron(`${longest}   `))
})

test('months have their days, February one more than usual', (t) => {
  const months = Array.from({ length: 14 }, (_, month) => daysOfMonth(month))
  t.deepEqual(months, [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0])
})

// @promise cron
test('either day is enough only where both day fields are without a *', (t) => {
  const rows: [string, boolean][] = [
    ['0 0 13 * 5', true],
    ['0 0 1-31 * 0-6', true],
    ['0 0 * * 5', false],
    ['0 0 */2 * 5', false],
    ['0 0 13 * */2', false],
    ['0 0 1,* * 5', false],
  ]
  for (const [text, expected] of rows) t.is(parseCron(text).eitherDay, expected, text)
})

test('what is wrong with an expression is said, and where', (t) => {
  const rows: [string, RegExp][] = [
    ['', /^The expression has no fields, but it must have five: minute hour day-of-month month day-of-week\.$/],
    ['* * * *', /^The expression has 4 fields, but it must have five/],
    ['0 0 0 * * *', /has 6 fields, .* Seconds and years are not supported\. Leave them out\.$/],
    ['60 * * * *', /^The minute field, "60", must be /],
    ['0 25 * * *', /^The hour field, "25", must be /],
    ['0 0 0 * *', /^The day-of-month field, "0", must be /],
    ['0 0 * 13 *', /^The month field, "13", must be /],
    ['0 0 * * 8', /^The day-of-week field, "8", must be /],
    [`${'1,'.repeat(25)}61 * * * *`, /^The minute field, "(1,){20}…", has "61", which must be /],
    ['@daily', /^"@daily" is not supported\. Write "0 0 \* \* \*" instead\.$/],
    ['@WEEKLY', /Write "0 0 \* \* 0" instead/],
    ['@hourly', /Write "0 \* \* \* \*" instead/],
    ['@yearly', /Write "0 0 1 1 \*" instead/],
    ['@annually', /Write "0 0 1 1 \*" instead/],
    ['@monthly', /Write "0 0 1 \* \*" instead/],
    ['@midnight', /Write "0 0 \* \* \*" instead/],
    ['@every 5m', /"@every" is not supported\. Write five fields/],
    [
      'CRON_TZ=Europe/Berlin 0 0 * * *',
      /must not contain a time zone \("CRON_TZ=Europe\/Berlin"\)\. Use "timeZone" instead\.$/,
    ],
    ['tz=UTC 0 0 * * *', /must not contain a time zone/],
    ['0 0 30 2 *', /^The date never occurs because no month in "2" has a day "30"\.$/],
    ['0 0 31 feb,4,6 *', /^The date never occurs because no month in "feb,4,6" has a day "31"\.$/],
    [`0 0 * * ${'1,'.repeat(97)}1`, /at most 200 characters/],
  ]
  for (const [text, expected] of rows)
    t.regex(
      refusal('cron', () => parseCron(text)),
      expected,
      text,
    )
  for (const text of ['0 0 31 2,3 *', '0 0 30 4 *', '0 0 29 2 *']) t.notThrows(() => parseCron(text), text)
})

test('whatever text is given, it is read or refused, and what was read reads the same again', (t) => {
  const pieces = fc.constantFrom('*', '/', '-', ',', ' ', '0', '7', '31', '60', 'mon', 'JAN', '@', '?', 'L', '\t', 'é')
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.array(pieces, { maxLength: 60 }).map((some) => some.join('')),
    expressions,
  )
  const property = fc.property(texts, (text) => {
    if (refusal('cron', () => parseCron(text)) !== 'accepted') return
    const cron = parseCron(text)
    t.like(parseCron(cron.text), cron)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 50 }))
})
