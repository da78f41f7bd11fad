import * as v from 'valibot'
import { route } from './route/route.ts'

const shared = { tag: 'health', access: 'anyone', method: 'get' } as const

export const healthz = route({
  ...shared,
  name: 'healthz',
  path: '/healthz',
  summary: 'Check that the process is up',
  status: 200,
  response: v.object({ status: v.literal('ok') }),
  handle: async () => ({ status: 'ok' }),
})

export const readyz = route({
  ...shared,
  name: 'readyz',
  path: '/readyz',
  summary: 'Check that the stores can be reached',
  description: 'Temporal may be away. What is accepted meanwhile runs when it is back.',
  status: 200,
  response: v.object({ status: v.literal('ok'), temporal: v.picklist(['reachable', 'away']) }),
  codes: ['INTERNAL_ERROR'],
  async handle({ services }) {
    await services.database.raw('select 1')
    return { status: 'ok', temporal: (await services.temporal.isReachable()) ? 'reachable' : 'away' }
  },
})
