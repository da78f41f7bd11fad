import type { Fault } from './fault.ts'

/** What models see of runs that have become long. */
export const longRuns: Fault[] = [
  {
    id: 'runs/last-exchange-cut',
    file: 'src/runs/step/fit.ts',
    find: 'const cuttable = steps.slice(0, last)',
    replace: 'const cuttable = steps',
    why: 'a model in a long run does not see the results of the calls that it has just made',
    tests: ['test/src/runs/step/fit.test.ts'],
  },
  {
    id: 'runs/read-in-part',
    file: 'src/runs/step/shown-steps.ts',
    find: "    // What was recorded since the run was read may be read in part.\n    .where('step', '<=', steps)\n",
    replace: '',
    why: 'a step that is recorded meanwhile is kept without its calls, and the provider refuses the next prompt',
    tests: ['test/src/runs/step/shown-steps.test.ts'],
  },
  {
    id: 'runs/kept-past-cuts',
    file: 'src/runs/step/shown-steps.ts',
    find: '[id, epoch, leftOutThrough, shortenedThrough, resultBytes]',
    replace: '[id, epoch, resultBytes]',
    why: 'a long run is cut on the timeline, but its model is sent everything',
    tests: ['test/src/runs/step/shown-steps.test.ts'],
  },
  {
    id: 'runs/left-out-is-read',
    file: 'src/runs/step/shown-steps.ts',
    find: 'known.at(-1)?.step ?? leftOutThrough ?? 0',
    replace: 'known.at(-1)?.step ?? 0',
    why: 'the prompt of a long run outgrows the window although its steps are said to be left out',
    tests: ['test/models/long-runs.test.ts'],
  },
]
