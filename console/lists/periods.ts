import { timeInWords } from '../parts/format.ts'
import type { RunFilters } from './run-filters.ts'

const hourMs = 3_600_000

/** Periods that end now. */
export const periods = [
  { id: 'hour', text: 'Last hour', ms: hourMs },
  { id: 'day', text: 'Last 24 hours', ms: 24 * hourMs },
  { id: 'week', text: 'Last 7 days', ms: 7 * 24 * hourMs },
  { id: 'month', text: 'Last 30 days', ms: 30 * 24 * hourMs },
] as const

type Period = Pick<RunFilters, 'since' | 'until'>

/** The period that the address names, in words, or undefined if it names none. */
export function periodInWords({ since, until }: Period, now: number): string | undefined {
  if (since === undefined) return until === undefined ? undefined : `before ${timeInWords(until, now)}`
  const from = timeInWords(since, now)
  return until === undefined ? `since ${from}` : `${from} to ${timeInWords(until, now)}`
}

export const periodOf = (id: (typeof periods)[number]['id'], now: number): Period => ({
  since: new Date(now - (periods.find((period) => period.id === id)?.ms ?? 0)).toISOString(),
  until: undefined,
})

/** A time as an input of the browser shows it: in the reader's time zone, without a zone. */
export function asLocalInput(at: string | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time that somebody typed into such an input. */
export const fromLocalInput = (text: string): string | undefined =>
  text === '' || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()
