import * as v from 'valibot'
import { assertAnswers } from '../src/database/assert-answers.ts'
import { assertThat } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const status = field(v.literal('ok'), 'Always `ok`. A failure is returned as an error.')
const shared = { tag: 'health', access: 'anyone', method: 'get' } as const

export const healthz = route({
  ...shared,
  name: 'healthz',
  path: '/healthz',
  summary: 'Check that the process is up',
  description: 'Does not check any other services.',
  status: 200,
  response: named('Health', v.object({ status }), 'The process is up'),
  handle: async () => ({ status: 'ok' }),
})

const temporal = named('TemporalState', v.picklist(['reachable', 'away']), 'Whether Temporal is reachable')

export const readyz = route({
  ...shared,
  name: 'readyz',
  path: '/readyz',
  summary: 'Check that the database is reachable',
  description:
    'Also reports whether Temporal is reachable. If Temporal is unreachable, the platform still accepts work and runs it later. Fails if the database does not answer within two seconds, and when the process is stopping, so that a load balancer uses others.',
  status: 200,
  response: named('Readiness', v.object({ status, temporal }), 'The database is reachable'),
  codes: ['INTERNAL_ERROR'],
  handle: ({ services }) => together(services),
})

/** One check at a time, shared by all waiting requests, because anyone may send health checks at any rate. */
const underWay = new WeakMap<Services, ReturnType<typeof check>>()

function together(services: Services): ReturnType<typeof check> {
  const checking = underWay.get(services) ?? check(services).finally(() => underWay.delete(services))
  underWay.set(services, checking)
  return checking
}

async function check({ database, runs, reachability }: Services) {
  const message = 'This process is stopping. Use another one.'
  assertThat(!runs.watching.stopping.aborted, 'INTERNAL_ERROR', { message })
  const [{ reachable }] = await Promise.all([reachability.glance(), assertAnswers(database)])
  return { status: 'ok', temporal: reachable ? 'reachable' : 'away' }
}
