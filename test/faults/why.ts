import type { Fault } from './fault.ts'

/** Why something does not run. */
export const why: Fault[] = [
  {
    id: 'why/losses-unsaid',
    file: 'src/why/actions.ts',
    find: 'loses === null ? filled : `${filled} (this ${loses})`',
    replace: 'filled',
    why: 'people are told to skip a run as if that were free',
    tests: ['test/src/why/causes.test.ts'],
  },
  {
    id: 'why/until-in-the-past',
    file: 'src/why/cause.ts',
    find: 'latest(at, later(now, settings.reconcileSeconds))',
    replace: 'at',
    why: 'what is about to continue is said to have been looked at already',
    tests: ['test/src/why/causes.test.ts'],
  },
  {
    id: 'why/replay-of-deleted',
    file: 'src/why/causes.ts',
    find: 'const mayReplay = agent.deletedAt === null && isFree && facts.charges.length === 0',
    replace: 'const mayReplay = isFree && facts.charges.length === 0',
    why: 'people are told to do what is refused',
    tests: ['test/src/why/causes.test.ts'],
  },
  {
    id: 'why/least-important-first',
    file: 'src/why/causes.ts',
    find: 'causeOrder.indexOf(one.code) - causeOrder.indexOf(other.code)',
    replace: 'causeOrder.indexOf(other.code) - causeOrder.indexOf(one.code)',
    why: 'the summary says what passes by itself, and not what its reader has to do',
    tests: ['test/src/why/causes.test.ts'],
  },
  {
    id: 'why/connected-is-dead',
    file: 'src/why/head-causes.ts',
    find: "waitCause === 'credential' && entry?.status !== 'connected'",
    replace: "waitCause === 'credential'",
    why: 'an owner who has connected a site anew is asked to do so again',
    tests: ['test/src/why/causes.test.ts'],
  },
  {
    id: 'why/ahead-of-itself',
    file: 'src/why/read-facts.ts',
    find: ".where('sequence', '<', run.sequence)",
    replace: ".where('sequence', '<=', run.sequence)",
    why: 'the oldest queued run is said to wait for another',
    tests: ['test/api/why.test.ts'],
  },
  {
    id: 'why/newest-is-next',
    file: 'src/runs/reconcile/facts.ts',
    find: "min(sequence) filter (where status = 'queued')",
    replace: "max(sequence) filter (where status = 'queued')",
    why: 'the run that is said to be next is the last',
    tests: ['test/src/runs/late-party.test.ts'],
    match: 'of several queued runs the one*',
  },
]
