import type { Agent } from '../agents/agent.ts'
import { CodedError, isCoded, type ErrorDetail } from '../errors.ts'
import { parseCron, type Cron } from './cron/cron.ts'
import { assertTimeZone, canonicalTimeZone } from './cron/time-zone.ts'

/** What a scheduled agent's fires follow from. */
export interface Plan {
  cron: Cron
  /** In its right case. */
  timeZone: string
}

/** What this part of the house must know of an agent. */
export type ScheduledAgent = Pick<
  Agent,
  'id' | 'ownerId' | 'name' | 'trigger' | 'cron' | 'timeZone' | 'pausedAt' | 'deletedAt'
>

/** Refuses an expression and a zone that cannot be used: VALIDATION_ERROR that names every part which is wrong. */
export function assertPlan(cron: string, timeZone: string): void {
  const problems = [() => parseCron(cron), () => assertTimeZone(timeZone)].flatMap(problemsOf)
  if (problems.length === 0) return
  const message = problems.map((problem) => problem.message).join(' ')
  throw new CodedError('VALIDATION_ERROR', { message, details: problems })
}

function problemsOf(read: () => unknown): ErrorDetail[] {
  try {
    read()
    return []
  } catch (error) {
    if (isCoded(error, 'VALIDATION_ERROR') && error.details) return error.details
    throw error
  }
}

/**
 * The plan of an agent; undefined unless it is there and scheduled. Nor is there one for what was stored before
 * expressions were checked and cannot be read: such an agent never fires.
 */
export function planOf(agent: ScheduledAgent | undefined): Plan | undefined {
  if (!agent || agent.deletedAt || agent.trigger !== 'scheduled') return undefined
  try {
    return { cron: parseCron(agent.cron ?? ''), timeZone: canonicalTimeZone(agent.timeZone ?? '') }
  } catch (error) {
    if (isCoded(error, 'VALIDATION_ERROR')) return undefined
    throw error
  }
}
