import type { GenericSchema } from 'valibot'
import type { Json, Schemas } from './json-schema.ts'
import type { AnyRoute } from '../route/route.ts'

/** What the names in paths mean, and what they look like. */
const pathNames: Record<string, { description: string; example: string }> = {
  agentId: { description: 'The id of an agent', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10' },
  apiKeyId: { description: 'The id of an API key', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a11' },
  approvalId: { description: 'The id of an approval', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18' },
  callId: { description: 'The id of a direct tool call', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12' },
  entryId: { description: 'The id of a vault entry', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13' },
  flowId: {
    description: 'The id that `POST /vault/oauth/start` gave',
    example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a14',
  },
  host: { description: 'A host as in its URLs, with its port unless that is 443', example: 'tracker.example.com' },
  identityId: { description: 'The id of a linked provider', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a22' },
  providerId: { description: 'The name of a sign-in provider, or the id of a workspace', example: 'google' },
  loginId: { description: 'The id of a login', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a21' },
  month: { description: 'A calendar month (UTC)', example: '2026-11' },
  notificationId: { description: 'The id of a notification', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a22' },
  paymentMethodId: { description: 'The id of a payment method', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a15' },
  runId: { description: 'The id of a run', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a16' },
  chatId: { description: 'The id of an answer, or any text', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20' },
  sessionId: { description: 'The id of a chat session', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a17' },
  invitationId: { description: 'The id of an invitation', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a03' },
  userId: { description: 'The id of a user', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a01' },
  workspaceId: { description: 'The id of a workspace', example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02' },
  toolName: { description: 'The name of a tool, as the site publishes it', example: 'issues.createIssue' },
}

/** The parameters of an operation, in its path, its query and its headers. */
export const parametersOf = (route: AnyRoute, schemas: Schemas): Json[] => [
  ...inPath(route),
  ...inQuery(route, schemas),
  ...inHeaders(route),
]

const inPath = ({ path }: AnyRoute): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...pathNames[name],
    schema: { type: 'string' },
  }))

function inQuery(route: AnyRoute, schemas: Schemas): Json[] {
  if (!route.query) return []
  const { properties = {}, required = [] } = schemas.of(route.query as GenericSchema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...member }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: description ?? described(member, schemas),
    schema: typed(member),
  }))
}

/** An enumeration brings its own description. */
const described = ({ $ref }: Json, schemas: Schemas): unknown =>
  schemas.components()[String($ref).split('/').at(-1) ?? '']?.['description']

/** In a query a default is text. */
const typed = (schema: Json): Json =>
  schema['type'] === 'integer' && 'default' in schema ? { ...schema, default: Number(schema['default']) } : schema

const inHeaders = ({ headers = {} }: AnyRoute): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 255 },
  }))
