import type { FilledAgent } from './agents.ts'
import type { Past } from './ending.ts'

/** A run that is written. */
export interface FilledRun {
  /** Of all runs, from 0. */
  number: number
  id: string
  agent: FilledAgent
  sequence: number
  trigger: Past['trigger']
  /** When it was accepted, in milliseconds since 1970. */
  at: number
}
