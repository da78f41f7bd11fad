import type { GenericSchema } from 'valibot'
import { cookieNames } from '../browser/login-cookies.ts'
import { version } from '../../src/version.ts'
import { chatStreamExamples } from './chat-stream.ts'
import { smallestExampleOf } from './examples.ts'
import { createSchemas, type Json, type Schemas } from './json-schema.ts'
import { inOrder, tags } from './order.ts'
import { parametersOf } from './parameters.ts'
import { requestExamples } from './request-examples.ts'
import { errorExamples, headers, responsesOf } from './responses.ts'
import { csrfHeader } from '../route/authenticate.ts'
import type { AnyRoute } from '../route/route.ts'
import { limitOf, needsLogin, needsTerms } from '../route/route-rules.ts'
import { webhooks } from './webhooks.ts'

const description = `The [guide](/docs) shows how to use this API.

- Authenticate with an access token or an API key: \`Authorization: Bearer …\`.
- Errors have a machine-readable \`code\` and a human-readable \`error\` sentence.
- Ids are UUIDs (version 7). Times are in UTC (ISO 8601).
- Lists are paginated. Send \`nextCursor\` as \`cursor\` to read the next page.
- Ignore fields that you do not recognize: later versions may add new ones.`

/** The OpenAPI 3.1 document, generated from the declarations of the routes alone. */
export function openapi(routes: AnyRoute[], baseUrl: string): Json {
  const schemas = createSchemas()
  const paths: Record<string, Json> = {}
  const ordered = inOrder(routes)
  for (const route of ordered) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, schemas) }
  }
  const posted = webhooks(schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'Run AI agents that use the tools of connected sites, durably and in order.',
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(ordered.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    webhooks: posted,
    components: {
      schemas: schemas.components(),
      headers,
      examples: { ...errorExamples(routes), ...chatStreamExamples },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Access token or API key' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieNames(baseUrl).access,
          description: "Access token in a cookie, for the platform's pages",
        },
        csrf: { type: 'apiKey', in: 'header', name: csrfHeader, description: 'CSRF token, required with the cookie' },
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
    needsLogin(route) && 'Requires an access token. API keys are rejected.',
    route.access === 'admin' && 'Requires admin access.',
    needsTerms(route) ? false : route.access !== 'anyone' && 'Works before you accept the terms.',
    limitOf(route) === 'address' && 'Rate limited by client address.',
    limitOf(route) === 'browser' && 'Rate limited by client address, separately from the rest of the API.',
  ]
    .filter(Boolean)
    .join('\n\n')

function security(route: AnyRoute): Json[] {
  if (route.access !== 'anyone') return [{ token: [] }, { cookie: [], ...(route.method !== 'get' && { csrf: [] }) }]
  return Object.keys(route.proof?.schemes ?? {}).map((name) => ({ [name]: [] }))
}

const lowered = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** A body without a name gets one from its operation. */
function requestBody(route: AnyRoute, schemas: Schemas): Json {
  const declared = (route.body ?? route.rawBody?.documentation) as GenericSchema | undefined
  if (!declared) return {}
  const title = `${route.name.slice(0, 1).toUpperCase()}${route.name.slice(1)}Request`
  const schema = schemas.name(title, {
    description: `Request to ${lowered(route.summary)}`,
    ...schemas.of(declared, 'input'),
  })
  const example = requestExamples[route.name] ?? smallestExampleOf(schema, schemas.components())
  return {
    requestBody: { required: route.rawBody?.optional !== true, content: { 'application/json': { schema, example } } },
  }
}
