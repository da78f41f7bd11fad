import * as v from 'valibot'
import { metricsType } from '../src/metrics/metrics.ts'
import { mostAgents } from '../src/metrics/own-metrics.ts'
import { route } from './route/route.ts'
import { ofOwner } from './schemas/schemas.ts'

export const getOwnMetrics = route({
  name: 'getOwnMetrics',
  tag: 'needs',
  access: 'account',
  method: 'get',
  path: '/metrics/mine',
  summary: 'Get metrics of your agents',
  description:
    'Returns metrics in the text format of Prometheus: runs, tokens, credits, failures and approvals of each agent. ' +
    `Covers the agents of the account or the workspace; if there are more than ${mostAgents}, the agents with the most ` +
    'tokens this month. See [Watch your agents with Prometheus](/docs/how-to/metrics).',
  owner: 'query',
  query: v.strictObject(ofOwner),
  status: 200,
  response: v.string(),
  plainText: metricsType,
  handle: ({ services, ownerId }) => services.ownMetrics.text(ownerId),
})
