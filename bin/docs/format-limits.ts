import { bytesInWords } from '../../src/amounts-in-words.ts'
import { describe } from './settings.ts'

/** Formats the values of limits for readers. */

export const count = (value: number): string => (Number.isFinite(value) ? value.toLocaleString('en-US') : 'no limit')

export const bytes = (value: number): string => (Number.isFinite(value) ? bytesInWords(value) : 'no limit')

/** A duration in the largest unit that divides it: `24 hours`, `90 seconds`. */
function duration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds % size === 0 && seconds / size >= 2) ?? smallest
  const value = seconds / size
  return `${count(value)} ${unit}${value === 1 ? '' : 's'}`
}

const smallest = ['second', 1] as const
const units = [['day', 86_400], ['hour', 3600], ['minute', 60], smallest] as const

/** The default of a setting, in the unit of its name. */
export function defaultOf(name: string): string {
  const { fallback } = describe(name)
  if (fallback === undefined) throw new Error(`${name} has no default`)
  const value = Number(fallback)
  const [, unit = ''] = /_(BYTES|SECONDS|MINUTES|HOURS|DAYS|BYTES_PER_MINUTE)$/.exec(name) ?? []
  if (unit.startsWith('BYTES')) return bytes(value)
  return unit === '' ? count(value) : duration(value * (sizes[unit] ?? 1))
}

const sizes: Record<string, number> = { SECONDS: 1, MINUTES: 60, HOURS: 3600, DAYS: 86_400 }
