import { actionKinds, sumOf, type historiesOf } from './histories.ts'
import type { DatabaseWork } from './postgres.ts'

type Trees = Awaited<ReturnType<typeof historiesOf>>

/** What a number of runs cost: in Temporal on both sides, and in Postgres. */
export interface Costs {
  runs: number
  ours: Trees
  theirs: Trees
  database: DatabaseWork
}

export const costRows = ({ runs, ours, theirs, database }: Costs): string[][] => {
  const both = (what: string, figure: (trees: Trees) => number, digits = 1): string[] => [
    what,
    (figure(ours) / runs).toFixed(digits),
    (figure(theirs) / runs).toFixed(digits),
    (figure(ours) / figure(theirs)).toFixed(2),
  ]
  const alone = (what: string, figure: number, digits = 1): string[] => [what, (figure / runs).toFixed(digits), '0', '']
  return [
    both('events in the history of the queue', ({ parent }) => parent.events),
    both('bytes in the history of the queue', ({ parent }) => parent.bytes, 0),
    both('events in the history of the run', ({ children }) => children.events),
    both('bytes in the history of the run', ({ children }) => children.bytes, 0),
    both('billable actions in Temporal', actionsOf),
    alone('SQL statements', database.statements),
    alone('SQL transactions', database.transactions),
    alone('rows inserted', database.inserted),
    alone('rows updated', database.updated),
    alone('rows deleted', database.deleted),
    alone('bytes added to the database', database.bytes, 0),
    alone('bytes in the write-ahead log', database.logBytes, 0),
  ]
}

const together = ({ parent, children }: Trees) => sumOf([parent, children]).actions

const actionsOf = (trees: Trees): number => Object.values(together(trees)).reduce((sum, count) => sum + count, 0)

/** The billable actions of a run by kind, in words. */
export const actionsInWords = (trees: Trees, runs: number): string =>
  actionKinds.map((kind) => `${(together(trees)[kind] / runs).toFixed(1)} ${kind}`).join(', ')
