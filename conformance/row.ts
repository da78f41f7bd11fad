import type { Facts } from './facts.ts'
import type { Stage } from './stage.ts'

type Need = keyof Facts

/** One row of a table of the specification, and how to try it. */
export interface Row {
  /** `<table>/<row>`, for `--only`. */
  id: string
  says: string
  needs?: readonly Need[]
  /** The row is about tiers, credits or payments, which an installation may not have. */
  ofMoney?: true
  /** The row mostly waits, so it runs beside the others from the beginning. */
  isSlow?: boolean
  /** Returns the evidence. Throws `Deviation` with the actual result. */
  run: (stage: Stage) => Promise<string>
}

export type Verdict = 'passed' | 'failed' | 'not tried'

export interface Judged {
  row: Row
  verdict: Verdict
  evidence: string
  /** Whether the row was not tried because the installation lacks its subject. The check is still complete. */
  isExcused?: true
  seconds: number
}
