import { isDeepStrictEqual } from 'node:util'
import type { Played } from './kill.ts'
import { endings, titleOf, type Row } from './table.ts'

/** What is not as the table says, in words: nothing if all is well. */
export function problemsOf(played: Played): string[] {
  const { kind, phase, seen } = played
  const expected = { ...endings[kind][phase], next: 'completed' }
  const problems = Object.entries(expected).flatMap(([what, value]) => {
    const found = seen[what as keyof typeof seen]
    return isDeepStrictEqual(found, value) ? [] : [`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`]
  })
  return problems.map((problem) => `${titleOf(played)}: ${problem}`)
}

/** An answer that waits for an approval has no process, and goes on once somebody approves. */
const waitsForNobody = ({ phase }: Row): boolean => phase !== 'while an approval waits'

/** The shortest, the middle and the longest time until somebody went on with an answer, and until somebody ended one. */
export function timesOf(played: Played[]): string {
  const of = (status: 'completed' | 'failed') =>
    range(played.filter((one) => waitsForNobody(one) && endings[one.kind][one.phase].status === status))
  return `gone on with after ${of('completed')} ms, ended after ${of('failed')} ms`
}

function range(played: Played[]): string {
  const sorted = played.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other)
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].join(', ')
}
