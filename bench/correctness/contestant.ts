import type { Inbox } from './items.ts'
import type { Victims } from './kills.ts'

/** A side of the comparison, ready to accept and to work. */
export interface Contestant {
  name: string
  inboxes: Inbox[]
  victims: Victims
  /** What the side itself says about items without a known outcome, if it says anything. */
  reported?: () => Promise<string>
  close: () => Promise<unknown>
}
