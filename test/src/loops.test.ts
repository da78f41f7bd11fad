import test from 'ava'
import { createLogger } from '../../src/logger.ts'
import { loops, startLoops, type LoopDeclaration, type LoopName } from '../../src/loops.ts'
import type { Services } from '../../src/services.ts'
import { testConfig } from '../helpers/config.ts'

/** What each loop asks of the services. Workers inside tests leave some out, so nothing else shows that they are done. */
const asked: Record<LoopName, string[]> = {
  clock: ['followClock'],
  reconciler: ['runs.reconciler.round'],
  'forgotten agents': ['lease.hold', 'forgotten.mark'],
  orphans: ['lease.hold', 'reachability.look', 'orphans.end'],
  schedules: ['lease.hold', 'scheduleSync.round'],
  callbacks: ['deliverCallbacks'],
  'password requests': ['users.recovery.carryOut'],
  mails: ['mails.send'],
  deletions: ['deletions.round'],
  billing: ['sweep.round'],
  'stripe events': ['lease.hold', 'stripe.events.reconcile'],
  outages: ['outages.round'],
  silence: ['lease.hold', 'silence.round'],
  manifests: ['manifests.checkDue'],
  revocations: ['vault.revocations.makeAttempts'],
  'keep-alive': ['lease.hold', 'vault.refresh.keepAlive'],
  partitions: ['lease.hold', 'partitions.ensure'],
  timelines: ['lease.hold', 'retention.purgeTimelines'],
  canary: ['lease.hold', 'canary.round'],
  chats: ['lease.hold', 'chat.reconcile'],
  'lost answers': ['chat.takeUpLost'],
  'stored bytes': ['billing.storedBytes.flush'],
  housekeeping: [
    'rateLimits.purge',
    'outgoingLimit.purge',
    'vault.flows.purge',
    'tools.closeAbandoned',
    'workers.purge',
    'billing.storedBytes.purge',
    'billing.credits.sweep',
    'stripe.events.purge',
    'scheduleSync.purge',
    'runs.live.purge',
    'agents.forgetFormerSecrets',
    'retention.purge',
    'sessions.purge',
    'outbox.purge',
    'users.purge',
    'audit.purge',
    'notifications.purge',
    'signIn.flows.purge',
    'outages.purge',
    'apps.purge',
    'processes.purge',
    'canary.purge',
  ],
}
const names = Object.keys(asked) as LoopName[]

/** Answers of the services that decide whether there is a round. */
interface Answers {
  'lease.hold'?: boolean
  'reachability.look'?: { reachable: boolean }
}

/** Notes the names of the functions that are called, and answers as it is told to, or true. */
function recording(calls: string[], answers: Answers, path: string[] = []): unknown {
  const name = path.join('.')
  return new Proxy(() => undefined, {
    get: (_target, member) => recording(calls, answers, [...path, String(member)]),
    apply: async () => {
      calls.push(name)
      return (answers as Record<string, unknown>)[name] ?? { reachable: true }
    },
  })
}

/** What a process with these loops has asked for when it is stopped at once: a round that has begun is finished. */
async function callsOf(where: LoopDeclaration['where'], wanted: readonly LoopName[], answers: Answers = {}) {
  const calls: string[] = []
  const services = recording(calls, answers) as Services
  const told = { config: testConfig('postgres://nowhere'), logger: createLogger('silent', 'test') }
  const started = startLoops(
    new Proxy(services, { get: (all, name) => Reflect.get(name in told ? told : all, name) as unknown }),
    where,
    names.filter((name) => !wanted.includes(name)),
  )
  await Promise.all(started.map((loop) => loop.stop()))
  return calls
}

for (const name of names)
  // @promise retention refresh
  test(`the loop ${name} does what it is for`, async (t) => {
    t.deepEqual(await callsOf('workers', [name]), asked[name])
  })

test('what is done everywhere an API does, too, and the rest it leaves to workers', async (t) => {
  const everywhere = loops.filter(({ where }) => where === 'everywhere').map(({ name }) => name)
  t.deepEqual(everywhere, [
    'clock',
    'reconciler',
    'forgotten agents',
    'orphans',
    'password requests',
    'outages',
    'partitions',
    'stored bytes',
    'chats',
    'lost answers',
    'canary',
  ])
  const calls = await callsOf('everywhere', names)
  t.deepEqual(calls.toSorted(), everywhere.flatMap((name) => asked[name]).toSorted())
})

test('what one process does at a time is not done without the lease, and what needs Temporal not while that is away', async (t) => {
  const alone = names.filter((name) => asked[name].includes('lease.hold'))
  for (const name of alone) t.deepEqual(await callsOf('workers', [name], { 'lease.hold': false }), ['lease.hold'])
  const away = await callsOf('workers', names, { 'reachability.look': { reachable: false } })
  t.deepEqual(
    away.filter((call) => call === 'orphans.end'),
    [],
  )
})
