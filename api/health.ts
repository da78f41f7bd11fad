import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const status = field(v.literal('ok'), 'Always so; anything else is an error')
const shared = { tag: 'health', access: 'anyone', method: 'get' } as const

export const healthz = route({
  ...shared,
  name: 'healthz',
  path: '/healthz',
  summary: 'Check that the process is up',
  description: 'It asks nobody else.',
  status: 200,
  response: named('Health', v.object({ status }), 'The process is up'),
  handle: async () => ({ status: 'ok' }),
})

const temporal = named('TemporalState', v.picklist(['reachable', 'away']), 'Whether Temporal can be reached')

export const readyz = route({
  ...shared,
  name: 'readyz',
  path: '/readyz',
  summary: 'Check that the stores can be reached',
  description: 'Temporal may be away. What is accepted meanwhile runs when it is back.',
  status: 200,
  response: named('Readiness', v.object({ status, temporal }), 'The stores can be reached'),
  codes: ['INTERNAL_ERROR'],
  async handle({ services }) {
    await services.database.raw('select 1')
    return { status: 'ok', temporal: (await services.temporal.isReachable()) ? 'reachable' : 'away' }
  },
})
