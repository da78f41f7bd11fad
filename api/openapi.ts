import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { catalogue, type ErrorCode } from '../src/errors.ts'
import { version } from '../src/version.ts'
import { codesOf, limitOf, needsLogin, needsTerms, type AnyRoute } from './route.ts'
import { errorBody } from './schemas.ts'

type Json = Record<string, unknown>

/** What the operations under each tag are about. */
const tags: Record<string, string> = {
  auth: 'Accounts, logins and API keys',
  billing: 'Tier, payment methods and credits',
  vault: 'Connected sites and their tools',
  agents: 'What an agent is told, what it may use and what starts it',
  runs: 'Executions of agents and their timelines',
  callbacks: "Endings of runs, posted to their owners' addresses",
  webhooks: 'For senders, who need no account: the secret of the agent is enough',
  notifications: 'What owners must look at',
  admin: 'For those who operate the platform: workers, and hosts that are called or not called any more',
  sites: 'For owners of sites',
  health: 'For those who operate the platform',
}

/** The OpenAPI 3.1 document of the given routes; everything in it comes from their declarations. */
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
      schemas: { Error: schema(errorBody, 'output') },
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
    responses: { ...successes(route), ...failures(route) },
  }
}

const describe = (route: AnyRoute): string =>
  [
    route.description,
    route.stream?.description,
    needsLogin(route) && 'Needs the access token of a login; an API key will not do.',
    route.access === 'admin' && 'For admins only.',
    needsTerms(route) ? false : route.access !== 'anyone' && 'Works before the terms are accepted.',
    limitOf(route) === 'address' && 'Counted by client address.',
    limitOf(route) === 'browser' && 'Counted by client address, apart from other requests.',
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
  const { properties = {}, required = [] } = schema(route.query as GenericSchema, 'input') as {
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
  const member = route.body ? schema(route.body as GenericSchema, 'input') : { type: 'object' }
  return { requestBody: { required: true, content: { 'application/json': { schema: member } } } }
}

const pageContent = { 'text/html': { schema: { type: 'string' } } }

function successes(route: AnyRoute): Json {
  const { status } = route
  if (status === 303) return { 200: { description: 'A page for people.', content: pageContent }, 303: redirect }
  if (!route.response) return { [status]: { description: 'Done; there is no body.' } }
  const json = jsonContent(route.response as GenericSchema)
  const content = { ...json, ...(route.browser && pageContent), ...(route.stream && streamContent) }
  const usual = { description: 'Done.', content }
  const others = Object.entries(route.alternatives ?? {}).map(([other, { description, response }]) => [
    other,
    { description, content: jsonContent(response) },
  ])
  return { [status]: usual, ...(route.stream && { 204: nothingMore }), ...Object.fromEntries(others) }
}

const streamContent = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Server-sent events: `id` is the number of the item, `event` its kind, `data` the item as in JSON. An event ' +
        '`error` has an error body as its `data`, and is the last.',
    },
  },
}

const nothingMore = { description: 'To those who ask for a stream and have all there will ever be: do not come back.' }

const jsonContent = (of: GenericSchema): Json => ({ 'application/json': { schema: schema(of, 'output') } })

const redirect = {
  description: 'On to another address.',
  headers: { Location: { description: 'The address', schema: { type: 'string' } } },
}

/** One response per status; the codes that share it are listed in its description and as its examples. */
function failures(route: AnyRoute): Json {
  const byStatus = Map.groupBy(codesOf(route), (code) => catalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(status, codes)]))
}

function failure(status: number, codes: ErrorCode[]): Json {
  const examples = codes.map((code) => [code, { value: { error: catalogue[code].message, code, statusCode: status } }])
  const content = { 'application/json': { schema: errorReference, examples: Object.fromEntries(examples) } }
  const headers = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } }
  return { description: codes.join(', '), ...(status === 429 && { headers }), content }
}

const errorReference = { $ref: '#/components/schemas/Error' }

function schema(of: GenericSchema, typeMode: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = toJsonSchema(of, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    ignoreActions: ['transform', 'check', 'string', 'custom'],
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'date' ? { type: 'string', format: 'date-time' } : jsonSchema,
  }) as Json
  return rest
}
