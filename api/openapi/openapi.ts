import type { GenericSchema } from 'valibot'
import { version } from '../../src/version.ts'
import { schemaOf } from './json-schema.ts'
import { responsesOf } from './responses.ts'
import type { AnyRoute } from '../route/route.ts'
import { limitOf, needsLogin, needsTerms } from '../route/route-rules.ts'
import { errorBody } from '../schemas/schemas.ts'

type Json = Record<string, unknown>

const tags: Record<string, string> = {
  auth: 'Accounts, logins and API keys',
  billing: 'Tier, payment methods and credits',
  vault: 'Connected sites and their tools',
  agents: 'The prompt, the sites and tools, and the trigger of an agent',
  runs: 'Executions of agents and their timelines',
  callbacks: "Endings of runs, posted to their owners' addresses",
  webhooks: "For senders. They need no account, only the agent's secret",
  notifications: 'What owners have to look at',
  admin: 'For operators of the platform: workers and suspended hosts',
  sites: 'For owners of sites',
  health: 'For operators of the platform',
}

/** The OpenAPI 3.1 document of the routes, made from their declarations alone. */
export function openapi(routes: AnyRoute[], baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'An AI agent platform: agents use the tools of connected sites, durably and in order.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      schemas: { Error: schemaOf(errorBody, 'output') },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The access token of a login, or an API key' },
        ...Object.assign({}, ...routes.map(({ proof }) => proof?.schemes)),
      },
    },
  }
}

function operation(route: AnyRoute): Json {
  const parameters = [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)]
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(describe(route) && { description: describe(route) }),
    security: security(route),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route),
    responses: responsesOf(route),
  }
}

const describe = (route: AnyRoute): string =>
  [
    route.description,
    route.stream?.description,
    needsLogin(route) && 'Needs the access token of a login; an API key is not enough.',
    route.access === 'admin' && 'For admins only.',
    needsTerms(route) ? false : route.access !== 'anyone' && 'Works before the terms are accepted.',
    limitOf(route) === 'address' && 'Rate limited by client address.',
    limitOf(route) === 'browser' && 'Rate limited by client address, separately from other requests.',
  ]
    .filter(Boolean)
    .join('\n\n')

function security(route: AnyRoute): Json[] {
  if (route.access !== 'anyone') return [{ token: [] }]
  return Object.keys(route.proof?.schemes ?? {}).map((name) => ({ [name]: [] }))
}

const pathParameters = ({ path }: AnyRoute): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const headerParameters = ({ headers = {} }: AnyRoute): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 255 },
  }))

function queryParameters(route: AnyRoute): Json[] {
  if (!route.query) return []
  const { properties = {}, required = [] } = schemaOf(route.query as GenericSchema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, member]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: member,
  }))
}

function requestBody(route: AnyRoute): Json {
  if (!route.body && !route.rawBody) return {}
  const member = route.body ? schemaOf(route.body as GenericSchema, 'input') : { type: 'object' }
  return {
    requestBody: { required: route.rawBody?.optional !== true, content: { 'application/json': { schema: member } } },
  }
}
