import * as v from 'valibot'

/** RFC 3339, 5.6, without leap seconds, which JavaScript's Date does not support. */
const form =
  /^(?<day>\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(?<fraction>\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The instant, rounded up to the millisecond precision of stored times; undefined for an invalid text. */
export function parseInstant(text: string): Date | undefined {
  const { day, fraction = '' } = form.exec(text)?.groups ?? {}
  if (day === undefined || !isInCalendar(day)) return undefined
  const isBetween = /[1-9]/.test(fraction.slice(3))
  return new Date(Date.parse(text.toUpperCase()) + (isBetween ? 1 : 0))
}

/** JavaScript parses 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

export const instant = (description: string) =>
  v.optional(
    v.pipe(
      v.string('must be a single time'),
      v.check(
        (text) => parseInstant(text) !== undefined,
        'must be an RFC 3339 time, such as 2026-11-21T09:00:00Z (in a URL, write + as %2B)',
      ),
      v.metadata({ description, examples: ['2026-11-21T09:00:00Z'] }),
      v.transform((text) => parseInstant(text) as Date),
    ),
  )
