import type { Fault } from './fault.ts'

/** Faults of the reconciler: what it sees, what it decides, and what it does when something has happened meanwhile. */
export const reconcile: Fault[] = [
  {
    id: 'late/fails-what-was-opened',
    file: 'src/runs/reconcile/repairs.ts',
    find: "(run.status !== 'queued' || (blockedCause === queue.blockedCause && !awake))",
    replace: 'true',
    why: 'a run fails for want of payment although its owner has just paid',
    tests: ['test/src/runs/reconcile/blocked-queues.test.ts'],
  },
  {
    id: 'late/repair-is-progress',
    file: 'src/runs/reconcile/repairs.ts',
    find: '  await Run.query(trx).findById(run.id).patch({ progressedAt: run.progressedAt })\n',
    replace: '',
    why: 'what never gets better is restarted at the same short interval for ever',
    tests: ['test/src/runs/reconcile/reconciler.test.ts'],
  },
  {
    id: 'late/fence-is-late',
    file: 'src/runs/reconcile/repairs.ts',
    find: 'if (head && (run?.epoch !== head.epoch || run.events !== head.events)) return false',
    replace: '',
    why: 'a run that goes on is taken from who carries it out',
    tests: ['test/src/runs/reconcile/reconciler.test.ts'],
  },
  {
    id: 'late/ladder-epoch',
    file: 'src/runs/reconcile/repairs.ts',
    find: '.patch({ epoch: run.epoch + 1 })',
    replace: '.patch({ epoch: run.epoch })',
    why: 'the forced end does not raise the epoch',
    tests: ['test/src/runs/late-party.test.ts'],
  },
  {
    id: 'runs/epoch-not-raised',
    file: 'src/runs/reconcile/repairs.ts',
    find: 'const epoch = run.epoch + 1',
    replace: 'const epoch = run.epoch',
    why: 'what is left of an execution that was given up writes for the one that took over',
    tests: ['test/src/runs/late-attempts.test.ts'],
  },
  {
    id: 'runs/opens-unpaid',
    file: 'src/runs/reconcile/next-action.ts',
    find: 'if (!next || !cause || cause !== queue.blockedCause)',
    replace: 'if (!next || cause)',
    why: 'queues of owners who have not paid are woken again and again for nothing',
    tests: ['test/src/runs/by-hand.test.ts'],
  },
  {
    id: 'runs/late-comers-fail',
    file: 'src/runs/reconcile/next-action.ts',
    find: 'later(latest(next.acceptedAt, queue.blockedSince ?? undefined), settings.queueBlockedSeconds)',
    replace: 'later(queue.blockedSince ?? next.acceptedAt, settings.queueBlockedSeconds)',
    why: 'a run that was accepted a moment ago fails because its queue has long been blocked',
    tests: ['test/src/runs/by-hand.test.ts'],
  },
  {
    id: 'runs/restarted-at-once',
    file: 'src/runs/reconcile/diagnose.ts',
    find: 'const patience = Math.min(Math.max(before, stallSeconds), longestPatience)',
    replace: 'const patience = stallSeconds',
    why: 'a deployment that is bad for good is restarted every few seconds for all agents',
    tests: ['test/src/runs/reconcile/diagnose.test.ts'],
  },
]
