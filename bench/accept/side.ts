import type { Load } from './send.ts'

/** What is measured in turn with the others. */
export interface Side {
  name: string
  measure: (connections: number, seconds: number) => Promise<Pick<Load, 'rate' | 'p99'>>
}

/** Counts what a side has accepted, to compare it with what is on record afterwards. */
export function createTally() {
  let accepted = 0
  let unanswered = 0
  return {
    /** Notes a load. When it stops, each connection may have a request under way that nobody waits for. */
    note(load: Load, connections: number): Load {
      accepted += load.accepted
      unanswered += connections
      return load
    },
    /** Throws if an accepted delivery is missing, or if more are on record than were sent. */
    compare(name: string, stored: number): string {
      const more = stored - accepted
      if (more < 0) throw new Error(`${name}: ${accepted} deliveries were accepted, and only ${stored} are on record`)
      if (more > unanswered) throw new Error(`${name}: ${stored} are on record, and only ${accepted} were accepted`)
      return `${name}: all ${accepted} accepted deliveries are on record, and ${more} more that the load did not wait for`
    },
  }
}

export type Tally = ReturnType<typeof createTally>
