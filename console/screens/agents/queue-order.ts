import type { Api } from '../../api/client.ts'

type Run = Pick<Api['RunSummary'], 'id' | 'sequence' | 'endedAt'>

/** The runs that have not ended, in the order in which the agent works. */
export const inOrder = <Each extends Run>(runs: readonly Each[]): Each[] =>
  runs.filter(({ endedAt }) => endedAt === null).toSorted((one, other) => one.sequence - other.sequence)

/** How many runs are ahead of a queued run, which is at this place. */
export function aheadInWords(place: number): string {
  if (place === 0) return 'Next'
  return place === 1 ? '1 run ahead' : `${place} runs ahead`
}
