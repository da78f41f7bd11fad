import { isDeepStrictEqual } from 'node:util'
import type { Played } from './become.ts'
import { endings, titleOf, type Row } from './table.ts'

/**
 * Within how many milliseconds after the death somebody goes on with an answer, or ends one that nobody reads: five seconds
 * and fifteen, and ten more where many answers are lost at once on a busy machine.
 */
const mostMs = { continue: 15_000, cancel: 25_000 }

/** What is not as the table says, in words: nothing if all is well. */
export function problemsOf(played: Played): string[] {
  const { kind, phase, seen, tookMs } = played
  const expected = { ...endings[kind][phase], next: 'completed' }
  const other = Object.entries(expected).flatMap(([what, value]) => {
    const found = seen[what as keyof typeof seen]
    return isDeepStrictEqual(found, value) ? [] : [`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`]
  })
  // A queued answer is gone on with once the one before it has ended.
  const isLate = phase !== 'before its turn' && tookMs > mostMs[isAboutToGoOn(played) ? 'continue' : 'cancel']
  const late = isLate ? [`it took ${tookMs} ms`] : []
  return [...other, ...late].map((problem) => `${titleOf(played)}: ${problem}`)
}

/** Whatever the session says, an answer whose call somebody has approved goes on. */
const isAboutToGoOn = ({ kind, phase }: Row): boolean => endings[kind][phase].status === 'completed'

/** The shortest, the middle and the longest time until somebody went on with an answer, and until somebody ended one. */
export function timesOf(played: Played[]): string {
  const counted = played.filter(({ phase }) => phase !== 'before its turn' && phase !== 'while an approval waits')
  const [goneOn, ended] = [true, false].map((goesOn) => range(counted.filter((one) => isAboutToGoOn(one) === goesOn)))
  return `gone on with after ${goneOn} ms, ended after ${ended} ms`
}

function range(played: Played[]): string {
  const sorted = played.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other)
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].join(', ')
}
