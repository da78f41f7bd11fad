/** What an agent, a workspace or an account uses in a calendar month (UTC). */
export interface Usage {
  /** `2026-11`. */
  month: string
  used: number
  /** null for as much as there is. */
  cap: number | null
  /** What it will have used at the end of the month. */
  forecast: number
}

const dayMs = 86_400_000

/**
 * What will have been used at the end of the month if every day is as those before: used ÷ days gone × days of the
 * month. Less than a day counts as one, so that the first hours say little.
 */
export function forecastOf(used: number, now: Date): number {
  const [start, end] = [monthStart(now), monthStart(now, 1)].map(Number) as [number, number]
  const gone = Math.max(now.getTime() - start, dayMs)
  return Math.round((used * (end - start)) / gone)
}

/** When a month (UTC) begins: that of the time, or one that many months later. */
export const monthStart = (now: Date, months = 0): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))

/** The calendar month (UTC): `2026-11`. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm'.length)
