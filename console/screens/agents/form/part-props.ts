import type { Draft } from './draft.ts'

/** What every part of the form needs. */
export interface PartProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  problem: (field: string) => string | undefined
}
