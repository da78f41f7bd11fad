import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { learn, type Arrived, type Habit } from './habit.ts'
import { beginHabits, lockHabits, storeHabits } from './habits.ts'

/** How long a process collects deliveries before it writes them, in milliseconds. */
const collectMs = 5000

/** Agents whose deliveries a process collects at a time. It writes at once when there are more. */
const mostAgents = 2000

interface Accepted {
  agentId: string
  /** Of its run. That of a repeat is known. */
  sequence: number
  /** Sent by its owner, as a test. */
  isTest: boolean
}

interface Pending {
  arrived: Arrived | null
  /** The highest one, also of tests. */
  sequence: number
}

/**
 * Learns when agents get deliveries. A process collects for some seconds and writes all of its agents together, so a
 * delivery costs no query. A killed process, or a write that fails, loses them: whoever judges an agent silent looks at
 * its runs before.
 */
export function createNoteDeliveries(context: { database: Database; clock: Clock; logger: Logger }) {
  const { database, clock, logger } = context
  let pending = new Map<string, Pending>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  /** One write at a time. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (pending.size === 0) return writing
    const batch = pending
    pending = new Map()
    writing = writing.then(() =>
      write(batch).catch((error: unknown) => logger.warn({ err: error }, 'failed to record when deliveries arrived')),
    )
    return writing
  }

  const write = (batch: Map<string, Pending>): Promise<void> =>
    database.transaction(async (trx) => {
      const known = await learnFrom(trx, batch)
      const others = [...batch].filter(([agentId]) => !known.has(agentId))
      const begun = await beginHabits(trx, habitsAfter(others, known))
      // Another process began these at the same time.
      await learnFrom(trx, new Map(others.filter(([agentId]) => !begun.has(agentId))))
    })

  /** Stores the habits that exist, after what was noted. */
  async function learnFrom(trx: Transaction, batch: Map<string, Pending>): Promise<Map<string, Habit>> {
    if (batch.size === 0) return new Map()
    const known = await lockHabits(trx, [...batch.keys()])
    const existing = [...batch].filter(([agentId]) => known.has(agentId))
    await storeHabits(trx, habitsAfter(existing, known))
    return known
  }

  return {
    flush,

    /** Notes an accepted delivery. */
    note({ agentId, sequence, isTest }: Accepted): void {
      const before = pending.get(agentId)
      if (before && sequence <= before.sequence) return
      const now = clock.now()
      const earlier = before?.arrived
      const arrived = { firstAt: earlier?.firstAt ?? now, lastAt: now, count: (earlier?.count ?? 0) + 1, sequence }
      pending.set(agentId, { arrived: isTest ? (earlier ?? null) : arrived, sequence })
      if (pending.size >= mostAgents) void flush()
      else timer ??= setTimeout(() => void flush(), collectMs).unref()
    },
  }
}

const habitsAfter = (batch: [string, Pending][], known: Map<string, Habit>): Habit[] =>
  batch.flatMap(([agentId, noted]) => habitAfter(known.get(agentId), agentId, noted) ?? [])

/** Of a test, only the sequence is kept, so that it is not taken for a delivery later. */
function habitAfter(habit: Habit | undefined, agentId: string, { arrived, sequence }: Pending): Habit | undefined {
  const learned = arrived ? learn(habit, agentId, arrived) : habit
  return learned && { ...learned, seenSequence: Math.max(learned.seenSequence, sequence) }
}
