import type { Agent } from '../agents/agent.ts'
import { CodedError, isCoded, type ErrorDetail } from '../errors.ts'
import { parseCron, type Cron } from './cron/cron.ts'
import { assertTimeZone, canonicalTimeZone } from './cron/time-zone.ts'

/** What determines a scheduled agent's fires. */
export interface Plan {
  cron: Cron
  /** In its canonical case. */
  timeZone: string
}

/** The fields of an agent that schedules depend on. */
export type ScheduledAgent = Pick<
  Agent,
  'id' | 'ownerId' | 'name' | 'trigger' | 'cron' | 'timeZone' | 'pausedAt' | 'deletedAt'
>

/** Validates an expression and a zone. Throws VALIDATION_ERROR that names every wrong part. */
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
 * The plan of an agent. Undefined if the agent does not exist, is not scheduled, or has an expression that predates
 * validation and cannot be parsed. Such an agent never fires.
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
