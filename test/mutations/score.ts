import { dirname } from 'node:path'
import type { Stryker } from '@stryker-mutator/core'
import type { Rule } from './rules.ts'

export type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** What has become of the mutants of a rule. */
export interface Score {
  folder: string
  killed: number
  /** So many of the killed ones hung. On a busy machine a slow test may count as one. */
  timeouts: number
  survived: number
  seconds: number
}

/** A test that hangs has noticed the mutant. Mutants that were ignored do not count. */
export const scoreOf = ({ path }: Rule, mutants: Mutant[], seconds: number): Score => ({
  folder: dirname(path),
  killed: mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length,
  timeouts: mutants.filter(({ status }) => status === 'Timeout').length,
  survived: survivorsOf(mutants).length,
  seconds,
})

export const survivorsOf = (mutants: Mutant[]): Mutant[] => mutants.filter(({ status }) => status === 'Survived')

/** The part of its mutants that a folder's tests have noticed, in per cent. */
export const percentOf = ({ killed, survived }: Pick<Score, 'killed' | 'survived'>): number =>
  killed + survived === 0 ? 100 : (100 * killed) / (killed + survived)

export function byFolder(scores: Score[]): Score[] {
  const groups = Map.groupBy(scores, ({ folder }) => folder)
  return [...groups]
    .map(([folder, of]) => sum(folder, of))
    .toSorted((one, other) => (one.folder < other.folder ? -1 : 1))
}

export const sum = (folder: string, scores: Score[]): Score => ({
  folder,
  killed: scores.reduce((total, { killed }) => total + killed, 0),
  timeouts: scores.reduce((total, { timeouts }) => total + timeouts, 0),
  survived: scores.reduce((total, { survived }) => total + survived, 0),
  seconds: scores.reduce((total, { seconds }) => total + seconds, 0),
})

/** Where a mutant is, and what it replaces by what, on one line. Stryker counts lines and columns from 1. */
export function describeMutant({ path }: Rule, source: string, { location, replacement }: Mutant): string {
  const { start, end } = location
  const text = source.slice(offsetOf(source, start), offsetOf(source, end))
  return `${path}:${start.line}:${start.column}  ${short(text)} → ${short(replacement)}`
}

const offsetOf = (source: string, { line, column }: Mutant['location']['start']): number =>
  source.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, column - 1)

const short = (code: string): string => {
  const line = code.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 60)} … ${line.slice(-8)}` : line
}
