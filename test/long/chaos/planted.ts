import type { Evidence, RunRow } from './evidence.ts'
import { judge, type Question } from './judge.ts'

interface Planted {
  what: string
  /** The question under which the judge must find it. */
  under: Question
  plant: (evidence: Evidence) => Partial<Evidence>
}

const first = <T>(items: T[], what: string): T => {
  const [found] = items
  if (found === undefined) throw new Error(`there is no ${what} to change`)
  return found
}

const without = <T>(items: T[], item: T): T[] => items.filter((one) => one !== item)
const instead = <T>(items: T[], item: T, other: T): T[] => items.map((one) => (one === item ? other : one))

/** Two runs of an agent, one after the other. */
function pair(runs: RunRow[]): [RunRow, RunRow] {
  for (const before of runs) {
    const after = runs.find((run) => run.agentId === before.agentId && run.sequence === before.sequence + 1)
    if (after?.startedAt && before.startedAt) return [before, after]
  }
  throw new Error('there are no two runs of an agent')
}

/** What could have gone wrong, done to a copy of what is known. A judge that does not find it finds nothing else. */
const planted: Planted[] = [
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
    what: 'a call that must be made once comes twice',
    under: 'once repeated',
    plant({ calls, arrivals }) {
      const once = new Set(calls.filter(({ effect }) => effect === 'once').map(({ key }) => key))
      const arrival = first(
        arrivals.filter(({ key }) => once.has(key)),
        'call',
      )
      return { arrivals: [...arrivals, { ...arrival, at: arrival.at + 1000 }] }
    },
  },
  {
    what: 'a connection ends although its refreshes were answered',
    under: 'grants lost',
    plant: ({ lostGrants }) => ({ lostGrants: [...lostGrants, { entryId: 'an entry', generation: 7 }] }),
  },
  {
    what: 'an entry of the ledger is missing',
    under: 'ledger wrong',
    plant: ({ entries }) => ({ entries: without(entries, first(entries, 'entry')) }),
  },
  {
    what: 'a step is charged twice',
    under: 'ledger wrong',
    plant({ entries, accounts }) {
      const entry = first(
        entries.filter(({ kind }) => kind === 'step'),
        'step',
      )
      const account = first(
        accounts.filter(({ ownerId }) => ownerId === entry.ownerId),
        'account',
      )
      const poorer = { ...account, balance: account.balance + entry.credits }
      return { entries: [...entries, { ...entry, id: 'another' }], accounts: instead(accounts, account, poorer) }
    },
  },
  {
    what: 'credits are held for a run that has ended',
    under: 'ledger wrong',
    plant: ({ holds, runs }) => ({ holds: [...holds, first(runs, 'run').id] }),
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
    what: 'a site never saw a call that succeeded',
    under: 'never seen by the site',
    plant({ calls, arrivals }) {
      const { key } = first(
        calls.filter(({ status }) => status === 'succeeded'),
        'call',
      )
      return { arrivals: arrivals.filter((arrival) => arrival.key !== key) }
    },
  },
  {
    what: 'a log has a secret',
    under: 'secrets in logs',
    plant({ logs, secrets }) {
      const log = first(logs, 'log')
      const text = `${log.text}\n{"authorization":"Bearer ${first(secrets, 'secret').value}"}`
      return { logs: instead(logs, log, { ...log, text }) }
    },
  },
]

export const plantedFaults = planted.map(({ what }) => what)

/** The planted faults that the judge does not notice: more findings under their question than without them. */
export function missedBy(evidence: Evidence): string[] {
  const before = judge(evidence)
  return planted
    .filter(({ under, plant }) => judge({ ...evidence, ...plant(evidence) })[under].length <= before[under].length)
    .map(({ what }) => what)
}
