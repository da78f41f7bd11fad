import { originInWords } from '../parts/run-words.ts'
import { periodInWords } from './periods.ts'
import type { RunFilters } from './run-filters.ts'

/** What the filters select, in words: `failed · Webhook · Triage · since 09:00:00`. Empty if they select all. */
export function filtersInWords(filters: RunFilters, agentName: string | undefined, now: number): string {
  const { status, trigger, agentId } = filters
  return [status, trigger && originInWords(trigger), agentId && (agentName ?? 'one agent'), periodInWords(filters, now)]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ')
}
