import * as v from 'valibot'
import { field, named, whole } from './documented.ts'

/** A cap of credits for a month, in a request. */
export const cap = v.nullable(
  v.pipe(whole, v.minValue(0, 'must be at least 0'), v.maxValue(1e12, 'must be at most 10¹²')),
)

export const usage = named(
  'MonthUsage',
  v.object({
    month: field(v.string(), 'The present calendar month (UTC)', '2026-11'),
    used: field(whole, 'The credits that it has used in this month', 120),
    cap: field(v.nullable(whole), 'How many it may use in a month; null for as many as there are', 500),
    forecast: field(
      whole,
      'What it will have used at the end of the month if every day is as those before: used ÷ days gone (at least one) × days of the month',
      180,
    ),
  }),
  'What is used of a cap in the present month',
)
