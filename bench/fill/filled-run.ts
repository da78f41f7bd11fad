import type { FilledAgent } from './agents.ts'
import type { Past } from './ending.ts'

export interface FilledRun {
  /** Its number among all runs, from 0. */
  number: number
  id: string
  agent: FilledAgent
  sequence: number
  trigger: Past['trigger']
  /** The time of acceptance, in milliseconds since 1970. */
  at: number
}
