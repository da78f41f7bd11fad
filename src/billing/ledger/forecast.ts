/** Usage of an agent, a workspace or an account in a calendar month (UTC). */
export interface Usage {
  /** `2026-11`. */
  month: string
  used: number
  cap: number | null
  /** The expected usage at the end of the month. */
  forecast: number
}

const dayMs = 86_400_000

/**
 * The expected usage at the end of the month at the same daily rate: used ÷ elapsed days × days of the month. Less than
 * a day counts as one, so the first hours do not mislead.
 */
export function forecastOf(used: number, now: Date): number {
  const [start, end] = [monthStart(now), monthStart(now, 1)].map(Number) as [number, number]
  const gone = Math.max(now.getTime() - start, dayMs)
  return Math.round((used * (end - start)) / gone)
}

/** The start of a month (UTC): the given time's, or that of a month this many later. */
export const monthStart = (now: Date, months = 0): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))

/** The calendar month (UTC): `2026-11`. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm'.length)
