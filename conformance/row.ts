import type { Facts } from './facts.ts'
import type { Stage } from './stage.ts'

/** A part of the file of facts that a row cannot do without. */
type Need = keyof Facts

/** One row of a table of the specification, and how it is tried. */
export interface Row {
  /** `<table>/<row>`, for `--only`. */
  id: string
  /** What must hold, in a few words. */
  says: string
  needs?: readonly Need[]
  /** It is about tiers, credits or payments, which an installation need not have. */
  ofMoney?: true
  /** It mostly waits, so it runs beside the others from the beginning. */
  isSlow?: boolean
  /** Returns the evidence. Throws `Deviation` with what came instead. */
  run: (stage: Stage) => Promise<string>
}

export type Verdict = 'passed' | 'failed' | 'not tried'

export interface Judged {
  row: Row
  verdict: Verdict
  evidence: string
  /** Whether it was not tried because the installation does not offer what it is about: that is no flaw of the check. */
  isExcused?: true
  seconds: number
}
