import type { GenericSchema } from 'valibot'
import { cookieNames } from '../browser/login-cookies.ts'
import { version } from '../../src/version.ts'
import { chatStreamExamples } from './chat-stream.ts'
import { exampleOf } from './examples.ts'
import { createSchemas, type Json, type Schemas } from './json-schema.ts'
import { parametersOf } from './parameters.ts'
import { errorExamples, headers, responsesOf } from './responses.ts'
import { csrfHeader } from '../route/authenticate.ts'
import type { AnyRoute } from '../route/route.ts'
import { limitOf, needsLogin, needsTerms } from '../route/route-rules.ts'
import { webhooks } from './webhooks.ts'

const tags: Record<string, string> = {
  auth: 'Accounts, logins and API keys',
  workspaces: 'What several people share, and who they are',
  billing: 'Tier, payment methods and credits',
  vault: 'Connected sites and their tools',
  models: 'The AI models that agents may choose',
  agents: 'The prompt, the sites and tools, and the trigger of an agent',
  sessions: 'Chat sessions: the sites and tools that the messages of a chat may use',
  chat: 'Messages of sessions, and their answers',
  runs: 'Executions of agents and their timelines',
  approvals: 'Tool calls that are made only once somebody has approved them',
  callbacks: "Endings of runs, posted to their owners' addresses",
  webhooks: "For senders. They need no account, only the agent's secret",
  notifications: 'What owners have to look at',
  admin: 'For operators of the platform: workers and suspended hosts',
  sites: 'For owners of sites',
  health: 'For operators of the platform',
}

/** The OpenAPI 3.1 document of the routes, made from their declarations alone. */
export function openapi(routes: AnyRoute[], baseUrl: string): Json {
  const schemas = createSchemas()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, schemas) }
  }
  const posted = webhooks(schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'An AI agent platform: agents use the tools of connected sites, durably and in order.',
      description: 'Ignore members that you do not know: later versions may add some. `docs/api.md` is the guide.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    webhooks: posted,
    components: {
      schemas: schemas.components(),
      headers,
      examples: { ...errorExamples(routes), ...chatStreamExamples },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The access token of a login, or an API key' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieNames(baseUrl).access,
          description: 'The access token of a login, for pages of the platform',
        },
        csrf: { type: 'apiKey', in: 'header', name: csrfHeader, description: 'The CSRF token of the login' },
        ...Object.assign({}, ...routes.map(({ proof }) => proof?.schemes)),
      },
    },
  }
}

function operation(route: AnyRoute, schemas: Schemas): Json {
  const parameters = parametersOf(route, schemas)
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: describe(route),
    security: security(route),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route, schemas),
    responses: responsesOf(route, schemas),
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
  if (route.access !== 'anyone') return [{ token: [] }, { cookie: [], ...(route.method !== 'get' && { csrf: [] }) }]
  return Object.keys(route.proof?.schemes ?? {}).map((name) => ({ [name]: [] }))
}

const lowered = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** A body without a name of its own is named after the operation: no other has it. */
function requestBody(route: AnyRoute, schemas: Schemas): Json {
  const declared = (route.body ?? route.rawBody?.documentation) as GenericSchema | undefined
  if (!declared) return {}
  const title = `${route.name.slice(0, 1).toUpperCase()}${route.name.slice(1)}Request`
  const schema = schemas.name(title, { description: `To ${lowered(route.summary)}`, ...schemas.of(declared, 'input') })
  const example = exampleOf(schema, schemas.components())
  return {
    requestBody: { required: route.rawBody?.optional !== true, content: { 'application/json': { schema, example } } },
  }
}
