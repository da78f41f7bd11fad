import type { Chance } from '../../money/chance.ts'
import type { Accepted, Receipt } from './evidence.ts'
import type { Outcomes } from './requests.ts'

/** What clients have sent and were told. */
export interface Load extends Outcomes {
  receipts: Receipt[]
  accepted: Accepted[]
  /** The client's ids of chat messages that were answered. */
  messages: string[]
  manualRuns: number
  /** Direct calls that were answered with a failure, which the site or the storm has caused. */
  failedCalls: number
  /** Deliveries that were refused because of a cap. */
  refused: number
}

export const emptyLoad = (): Load => ({
  receipts: [],
  accepted: [],
  messages: [],
  manualRuns: 0,
  failedCalls: 0,
  refused: 0,
  unanswered: new Map(),
  troubles: new Map(),
})

export interface Pace {
  random: Chance
  /** Ends the load. */
  signal: AbortSignal
  /** Ends the wait for answers. */
  gaveUp: AbortSignal
}
