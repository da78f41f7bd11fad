const number = new Intl.NumberFormat('en-US')
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

export const countInWords = (count: number, one: string, several = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : several}`

export const numberInWords = (count: number): string => number.format(count)

/** A price that is unknown is not zero. */
export const costInWords = (usd: number | null): string => (usd === null ? 'price unknown' : dollars.format(usd))

export const fullTime = (at: string): string => full.format(new Date(at))

/** A time of day today, and with its day otherwise. */
export function timeInWords(at: string, now: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date).slice(0, 5)}`
}

const units = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1000 },
] as const

/** A duration in its two largest units: `840 ms`, `3.2 s`, `2 min 5 s`, `3 h 20 min`, `12 d 4 h`. */
export function durationInWords(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const at = units.findIndex((unit) => ms >= unit.ms)
  const first = units[at] ?? units[3]
  const second = units[at + 1]
  const whole = Math.floor(ms / first.ms)
  const rest = second ? Math.floor((ms % first.ms) / second.ms) : 0
  return rest > 0 && second ? `${whole} ${first.unit} ${rest} ${second.unit}` : `${whole} ${first.unit}`
}

/** How long ago, or in how long. */
export function agoInWords(at: string, now: number): string {
  const ms = now - Date.parse(at)
  if (Math.abs(ms) < 1000) return 'now'
  const words = spanInWords(Math.abs(ms))
  return ms > 0 ? `${words} ago` : `in ${words}`
}

/** A duration in one unit, which is what somebody who looks at a list reads. */
export function spanInWords(ms: number): string {
  const { unit, ms: size } = units.find((each) => ms >= each.ms) ?? units[3]
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`
}
