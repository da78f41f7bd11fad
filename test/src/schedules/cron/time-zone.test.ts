import test from 'ava'
import database from 'tzdata' with { type: 'json' }
import { assertTimeZone, canonicalTimeZone } from '../../../../src/schedules/cron/time-zone.ts'
import { refusal } from './refusal.ts'

test('zones are IANA names; anything else is refused, with the name that is near', (t) => {
  for (const name of ['Europe/Berlin', 'europe/BERLIN', 'utc', 'US/Pacific', 'Etc/GMT+1', 'Asia/Kolkata', 'CET'])
    t.notThrows(() => assertTimeZone(name), name)
  const rows: [string, RegExp][] = [
    ['Berlin', /^"Berlin" is not an IANA time zone name\. Did you mean Europe\/Berlin\?$/],
    ['New York', /Did you mean America\/New_York\?$/],
    ['Europe/Berln', /Did you mean Europe\/Berlin\?$/],
    [' Europe/Berlin', /Did you mean Europe\/Berlin\?$/],
    ['+01:00', /^"\+01:00" is not .* Use a name such as/],
    ['GMT+1', /is not an IANA time zone name/],
    ['', /^"" is not/],
    // Node would take these for Dhaka and Calcutta.
    ['BST', /is not an IANA time zone name/],
    ['ist', /is not an IANA time zone name/],
    ['../../etc/passwd', /is not an IANA time zone name/],
    ['Europe/Berlin\n', /is not an IANA time zone name/],
    ['x'.repeat(10_000), /^"x{64}" is not/],
  ]
  for (const [name, expected] of rows)
    t.regex(
      refusal('timeZone', () => assertTimeZone(name)),
      expected,
      name,
    )
})

test('a zone of any case gets that of the IANA database, and an alias stays the alias it is', (t) => {
  // Factory is the name for "not set up yet", which Node does not have.
  const names = Object.keys(database.zones).filter((name) => name !== 'Factory')
  t.true(names.length > 590)
  for (const name of names) {
    const read = [name.toLowerCase(), name.toUpperCase(), name].map(canonicalTimeZone)
    t.deepEqual(read, [name, name, name])
  }
  t.throws(() => canonicalTimeZone('Berlin'), { message: /Did you mean/ })
})
