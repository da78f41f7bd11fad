/**
 * A time in a header, in milliseconds since 1970; undefined if it is invalid. Accepts the three forms of HTTP (RFC
 * 9110, 5.6.7) and ISO 8601 with an offset. `Date.parse` accepts almost any text, and reads some forms in this server's
 * time zone.
 */
export function readHttpDate(text: string, now: Date): number | undefined {
  for (const form of forms) {
    const found = form.exec(text)?.groups
    if (found) return instantOf(found, now)
  }
  return undefined
}

const time = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)`
const offset = String.raw`(?<offset>GMT|UTC|UT|Z|[+-]\d\d:?\d\d)`

const forms = [
  // IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, and RFC 850, `Sunday, 06-Nov-94 08:49:37 GMT`
  String.raw`^(?:[a-z]{3,9},? +)?(?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{2}|\d{4}) +${time}(?: *${offset})?$`,
  // asctime, `Sun Nov  6 08:49:37 1994`
  String.raw`^[a-z]{3} (?<month>[a-z]{3}) +(?<day>\d{1,2}) ${time}(?: ${offset})? (?<year>\d{4})$`,
  // ISO 8601 (RFC 3339), `1994-11-06T08:49:37Z`
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ]${time}(?:\.\d+)? ?${offset}$`,
].map((form) => new RegExp(form, 'i'))

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

function instantOf(found: Record<string, string | undefined>, now: Date): number | undefined {
  const number = (name: string): number => Number(found[name])
  const month = monthOf(found['month'] ?? '')
  const year = yearOf(found['year'] ?? '', now)
  const [day, hour, minute, second] = [number('day'), number('hour'), number('minute'), number('second')]
  const midnight = new Date(Date.UTC(year, month, day))
  // The 31st of a short month is invalid. A leap second is the next second.
  if (midnight.getUTCMonth() !== month || hour > 23 || minute > 59 || second > 60) return undefined
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 - offsetMs(found['offset'])
}

const monthOf = (text: string): number => (/\d/.test(text) ? Number(text) - 1 : months.indexOf(text.toLowerCase()))

/** Two digits that seem more than 50 years in the future mean the last century (RFC 9110, 5.6.7). */
function yearOf(text: string, now: Date): number {
  if (text.length > 2) return Number(text)
  const current = now.getUTCFullYear()
  const year = current - (current % 100) + Number(text)
  return year > current + 50 ? year - 100 : year
}

function offsetMs(offset = 'GMT'): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
}
