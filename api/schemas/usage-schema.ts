import * as v from 'valibot'
import { field, named, whole } from './documented.ts'

/** A monthly credit limit in a request. */
export const cap = v.nullable(
  v.pipe(whole, v.minValue(0, 'must be at least 0'), v.maxValue(1e12, 'must be at most 10¹²')),
)

export const usage = named(
  'MonthUsage',
  v.object({
    month: field(v.string(), 'Current calendar month (UTC)', '2026-11'),
    used: field(whole, 'Credits used this month', 120),
    cap: field(v.nullable(whole), 'Credits allowed per month. Null if there is no limit.', 500),
    forecast: field(
      whole,
      'Projected credits at the end of the month: `used` ÷ days elapsed (at least 1) × days in the month',
      180,
    ),
  }),
  'Credits used this month, and the limit',
)
