import test from 'ava'
import { forecastOf, monthOf, monthStart } from '../../../../src/billing/ledger/forecast.ts'

const forecasts = [
  { used: 100, now: '2026-11-16T00:00:00Z', forecast: 200, why: 'half of the month is over' },
  { used: 100, now: '2026-11-01T00:00:00Z', forecast: 3000, why: 'less than a day counts as one' },
  { used: 100, now: '2026-11-01T23:59:59Z', forecast: 3000, why: 'less than a day counts as one' },
  { used: 100, now: '2026-11-30T23:59:59.999Z', forecast: 100, why: 'nothing more comes' },
  { used: 28, now: '2027-02-15T00:00:00Z', forecast: 56, why: 'February is shorter' },
  { used: 0, now: '2026-12-05T00:00:00Z', forecast: 0, why: 'nothing was used' },
]
for (const { used, now, forecast, why } of forecasts)
  test(`whoever has used ${used} at ${now} will have used ${forecast}: ${why}`, (t) => {
    t.is(forecastOf(used, new Date(now)), forecast)
  })

test('months begin at midnight, UTC, also across years', (t) => {
  const now = new Date('2026-12-31T23:59:59Z')
  t.is(monthOf(now), '2026-12')
  t.is(monthStart(now, 1).toISOString(), '2027-01-01T00:00:00.000Z')
  t.is(monthStart(now, -12).toISOString(), '2025-12-01T00:00:00.000Z')
})
