import test from 'ava'
import type { ProcessContext } from '../../bin/process.ts'
import { startWork, type Duty } from '../../bin/work.ts'
import type { Services } from '../../src/services.ts'
import { createLogger } from '../../src/logger.ts'
import { testConfig } from '../helpers/config.ts'

/** What each duty asks of the services. Workers inside tests leave some out, so nothing else shows that they are done. */
const asked: Record<Duty, string[]> = {
  callbacks: ['deliverCallbacks'],
  sweeper: ['sweeper.sweep'],
  ladder: ['runs.ladder.climb'],
  reconciler: ['reconciler.reconcile'],
  schedules: ['scheduleReconciler.round'],
  housekeeping: [
    'rateLimits.purge',
    'outgoingLimit.purge',
    'vault.flows.purge',
    'tools.closeAbandoned',
    'workers.purge',
    'scheduleReconciler.purge',
    'agents.forgetFormerSecrets',
    'retention.purge',
  ],
  mails: ['mails.send'],
  manifests: ['manifests.checkDue'],
  'keep-alive': ['keepAlive'],
  presence: ['workers.say'],
}
const duties = Object.keys(asked) as Duty[]

/** Notes the names of the functions that are called, and does nothing. Temporal is away: nobody polls. */
function recording(calls: string[], path: string[] = []): unknown {
  const name = path.join('.')
  return new Proxy(() => undefined, {
    get: (_target, member) => recording(calls, [...path, String(member)]),
    apply: async () => {
      if (name === 'temporal.registerSearchAttributes') throw new Error('Temporal is away.')
      calls.push(name)
    },
  })
}

/** What a worker with these duties has asked for when it is stopped at once: a round that has begun is finished. */
async function callsOf(...wanted: Duty[]): Promise<string[]> {
  const calls: string[] = []
  const services = recording(calls) as Services
  const context: ProcessContext = {
    config: testConfig('postgres://nowhere'),
    logger: createLogger('silent', 'test'),
    services,
  }
  const leftOut = duties.filter((duty) => !wanted.includes(duty))
  const stop = startWork(context, { codePath: 'none' }, leftOut)
  await stop()
  return calls
}

test('a worker has no duty that is not in the table of duties', async (t) => {
  t.deepEqual(await callsOf(), ['workers.leave'])
})

for (const duty of duties)
  test(`a worker does what the duty ${duty} is for`, async (t) => {
    t.deepEqual(await callsOf(duty), [...asked[duty], 'workers.leave'])
  })
