import type { GenericSchema } from 'valibot'
import type { Json, Schemas } from './json-schema.ts'
import type { AnyRoute } from '../route/route.ts'
import { exampleIds } from '../schemas/example-ids.ts'

/** The names in paths, with their descriptions and examples. */
const pathNames: Record<string, { description: string; example: string }> = {
  agentId: { description: 'Id of the agent', example: exampleIds.agent },
  appId: { description: 'Id of the connected app', example: exampleIds.app },
  requestId: { description: "Id of the app's request", example: 'n0ThsWDkMTxJVdvkO1tVX' },
  apiKeyId: { description: 'Id of the API key', example: exampleIds.apiKey },
  approvalId: { description: 'Id of the approval', example: exampleIds.approval },
  callId: { description: 'Id of the direct tool call', example: exampleIds.call },
  documentId: { description: 'Id of the uploaded document', example: exampleIds.document },
  entryId: { description: 'Id of the vault entry', example: exampleIds.entry },
  flowId: { description: 'Id from `POST /vault/oauth/start`', example: exampleIds.flow },
  host: { description: 'Host name, with the port unless it is 443', example: 'tracker.example.com' },
  identityId: { description: 'Id of the linked identity', example: exampleIds.identity },
  providerId: { description: 'Name of a sign-in provider, or id of a workspace', example: 'google' },
  loginId: { description: 'Id of the sign-in session', example: exampleIds.login },
  month: { description: 'Calendar month (UTC)', example: '2026-11' },
  notificationId: { description: 'Id of the notification', example: exampleIds.notification },
  paymentMethodId: { description: 'Id of the payment method', example: exampleIds.paymentMethod },
  runId: { description: 'Id of the run', example: exampleIds.run },
  chatId: {
    description: 'Id of an answer. Any other value selects the answer in progress.',
    example: exampleIds.answer,
  },
  sessionId: { description: 'Id of the chat session', example: exampleIds.session },
  invitationId: { description: 'Id of the invitation', example: exampleIds.invitation },
  templateId: { description: 'Id of the template', example: 'triage' },
  userId: { description: 'Id of the user', example: exampleIds.user },
  version: { description: 'Number of the version', example: '7' },
  workspaceId: { description: 'Id of the workspace', example: exampleIds.workspace },
  issuerKey: {
    description: 'First 22 characters of the SHA-256 of the issuer, in base64url',
    example: 'C6IVJ0dP5W3rGdtgB1oKyA',
  },
  toolName: { description: 'Name of the tool at its site', example: 'issues.createIssue' },
}

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

/** The description of an enumeration is in its component. */
const described = ({ $ref }: Json, schemas: Schemas): unknown =>
  schemas.components()[String($ref).split('/').at(-1) ?? '']?.['description']

/** A default in a query is a string. This converts it to a number. */
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
