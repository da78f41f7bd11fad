import type { Fault } from './fault.ts'

export const runs: Fault[] = [
  {
    id: 'runs/fourth-attempt',
    file: 'src/runs/next-move.ts',
    find: `if (longestStreak(calls) >= endAfter)`,
    replace: `if (longestStreak(calls) > endAfter)`,
    why: 'a model that repeats itself is stopped one call later than promised',
    tests: ['test/src/runs/next-move.test.ts'],
  },
]
