import type { Evidence } from '../evidence.ts'
import type { RunRow } from '../rows.ts'
import { first, instead, without, type Planted } from './pick.ts'

/** Two runs of an agent, one after the other. */
function pair(runs: RunRow[]): [RunRow, RunRow] {
  for (const before of runs) {
    const after = runs.find((run) => run.agentId === before.agentId && run.sequence === before.sequence + 1)
    if (after?.startedAt && before.startedAt) return [before, after]
  }
  throw new Error('there are no two runs of an agent')
}

/** Faults of runs, answers and schedules. */
export const plantedInRuns: Planted[] = [
  {
    what: 'the run of an accepted delivery is deleted',
    under: 'lost',
    plant: ({ runs, receipts }) => {
      const { runId } = first(receipts, 'receipt')
      return { runs: runs.filter(({ id }) => id !== runId) }
    },
  },
  {
    what: 'two runs of an agent change places',
    under: 'reordered',
    plant({ runs }) {
      const [before, after] = pair(runs)
      const times = ({ startedAt, endedAt }: RunRow) => ({ startedAt, endedAt })
      const swapped = instead(runs, before, { ...before, ...times(after) })
      return { runs: instead(swapped, after, { ...after, ...times(before) }) }
    },
  },
  {
    what: 'a site sees a call of a run before one of an earlier run',
    under: 'reordered',
    plant({ runs, calls, arrivals }) {
      const called = runs.filter(({ id }) => calls.some(({ subjectId, key }) => subjectId === id && seen(key)))
      const [, after] = pair(called)
      const keys = new Set(calls.filter(({ subjectId }) => subjectId === after.id).map(({ key }) => key))
      return { arrivals: arrivals.map((one) => (keys.has(one.key) ? { ...one, at: 1 } : one)) }
      function seen(key: string) {
        return arrivals.some((one) => one.key === key)
      }
    },
  },
  {
    what: 'a delivery has two runs',
    under: 'doubled',
    plant({ runs }) {
      const run = first(
        runs.filter(({ key }) => key !== null),
        'delivery',
      )
      return { runs: [...runs, { ...run, id: 'another' }] }
    },
  },
  {
    what: 'a run does not end',
    under: 'without an end',
    plant({ runs }) {
      const run = first(runs, 'run')
      return { runs: instead(runs, run, { ...run, status: 'running', endedAt: null }) }
    },
  },
  {
    what: 'a run fails',
    under: 'failed',
    plant({ runs, cappedAgentId }) {
      const run = first(runs, 'run', ({ agentId, endedAt }) => agentId !== cappedAgentId && endedAt !== null)
      return { runs: instead(runs, run, { ...run, status: 'failed', reason: 'NO_CREDITS' }) }
    },
  },
  {
    what: 'an answer fails',
    under: 'failed',
    plant({ answers }) {
      const answer = first(answers, 'answer', ({ status }) => status === 'completed')
      return { answers: instead(answers, answer, { ...answer, status: 'failed', errorCode: 'INTERNAL_ERROR' }) }
    },
  },
  {
    what: 'an answered message is not recorded',
    under: 'lost',
    plant({ messages, answers }) {
      const id = first(messages, 'message')
      return { answers: answers.filter(({ clientId }) => clientId !== id) }
    },
  },
  {
    what: 'a fire is not recorded',
    under: 'lost',
    plant: ({ fires, schedules }) => ({ fires: without(fires, demanded(fires, schedules)) }),
  },
  {
    what: 'a fire is missed',
    under: 'lost',
    plant({ fires, schedules }) {
      const fire = demanded(fires, schedules)
      return { fires: instead(fires, fire, { ...fire, runId: null, outcome: 'missed', reason: 'NOT_FIRED' }) }
    },
  },
]

const demanded = (fires: Evidence['fires'], schedules: Evidence['schedules']) =>
  first(
    fires,
    'fire',
    ({ nominalAt, outcome }) =>
      outcome === 'ran' && schedules.some(({ from, until }) => from <= nominalAt && nominalAt <= until),
  )
