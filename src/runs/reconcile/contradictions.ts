import type { AgentQueue } from '../agent-queue.ts'

/** What is wrong with a queue row, in words, given how many runs have not ended, and which of them has begun. */
export function contradictionsOf(
  { runningRunId, unfinished: counted, awake, blockedCause }: AgentQueue,
  unfinished: number,
  active: string | null,
): string[] {
  return [
    ...(runningRunId === active ? [] : [`the queue named ${runningRunId ?? 'no run'} as running`]),
    ...(counted === unfinished ? [] : [`the queue counted ${counted} unfinished runs, there are ${unfinished}`]),
    ...(awake || unfinished === 0 || (blockedCause && !active) ? [] : ['the queue was asleep although it has runs']),
  ]
}
