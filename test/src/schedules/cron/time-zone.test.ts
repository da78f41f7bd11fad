import test from 'ava'
import { assertTimeZone, canonicalTimeZone } from '../../../../src/schedules/cron/time-zone.ts'
import { refusal } from './refusal.ts'

test('zones are IANA names; anything else is refused, with the name that is near', (t) => {
  for (const name of [
    'Europe/Berlin',
    'europe/BERLIN',
    'UTC',
    'utc',
    'US/Pacific',
    'Etc/GMT+1',
    'Asia/Kolkata',
    'EST5EDT',
    'CET',
  ]) {
    t.notThrows(() => assertTimeZone(name), name)
  }
  const rows: [string, RegExp][] = [
    ['Berlin', /^"Berlin" is not the name of a time zone \(IANA\)\. Did you mean Europe\/Berlin\?$/],
    ['New York', /Did you mean America\/New_York\?$/],
    ['Europe/Berln', /Did you mean Europe\/Berlin\?$/],
    ['Europe / Berlin', /Did you mean Europe\/Berlin\?$/],
    [' Europe/Berlin', /Did you mean Europe\/Berlin\?$/],
    ['+01:00', /^"\+01:00" is not .* Write a name such as/],
    ['-0500', /Write a name such as/],
    ['GMT+1', /is not the name/],
    ['', /^"" is not/],
    ['CEST', /is not the name/],
    // Node would take these for Dhaka, Los Angeles and Calcutta.
    ['BST', /is not the name/],
    ['PST', /is not the name/],
    ['ist', /is not the name/],
    ['SystemV/PST8', /is not the name/],
    ['../../etc/passwd', /is not the name/],
    ['Europe/Berlin\n', /is not the name/],
    ['x'.repeat(10_000), /^"x{64}" is not/],
  ]
  for (const [name, expected] of rows) {
    const said = refusal('timeZone', () => assertTimeZone(name))
    t.regex(said, expected, name)
  }
})

test('a zone gets its right case, and an alias stays the alias it is', (t) => {
  const names = ['europe/berlin', 'AMERICA/new_york', 'utc', 'Europe/Kyiv', 'Asia/Kolkata'].map(canonicalTimeZone)
  t.deepEqual(names, ['Europe/Berlin', 'America/New_York', 'UTC', 'Europe/Kyiv', 'Asia/Kolkata'])
  t.throws(() => canonicalTimeZone('Berlin'), { message: /Did you mean/ })
})
