import * as fc from 'fast-check'

const weekdays = ['SUN', 'Mon', 'tue', 'WED', 'Thu', 'fri', 'SAT']
const months = ['JAN', 'Feb', 'mar', 'APR', 'May', 'jun', 'JUL', 'Aug', 'sep', 'OCT', 'Nov', 'dec']

/** The text of one field: any form that the grammar has. */
function field(least: number, most: number, names: string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most })
  const written = value.chain((one) => fc.constantFrom(String(one), names[one - least] ?? String(one)))
  const bounds = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  const range = bounds.map(([from, to]) => `${from}-${to}`)
  const step = fc.integer({ min: 1, max: most - least })
  const stepped = fc.tuple(range, step).map(([from, every]) => `${from}/${every}`)
  const list = fc.array(fc.oneof(written, range, stepped), { minLength: 1, maxLength: 3 }).map((parts) => parts.join())
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: step.map((every) => `*/${every}`) },
    { weight: 3, arbitrary: list },
  )
}

const hour = fc.oneof(field(0, 23), field(0, 3))
const dates = fc.tuple(field(1, 31), field(1, 12, months), field(0, 7, weekdays))

/** Random expressions; half of them have hours at night, when clocks change. May name a date that never occurs. */
export const expressions = fc.tuple(field(0, 59), hour, dates).map(([minute, hour, [day, month, weekday]]) => {
  return `${minute} ${hour} ${day} ${month} ${weekday}`
})

/** Random expressions whose fires are frequent enough to be found in the few days around a change of clocks. */
export const nightly = fc
  .tuple(
    field(0, 59),
    hour,
    fc.constantFrom('* * *', '* * *', '*/2 * *', '* * 0,6', '20-31 * *', '25-31 * sun', '1-12 * 0'),
  )
  .map(([minute, hour, day]) => `${minute} ${hour} ${day}`)
