import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema'
import { manifestShape } from './manifest-shape.ts'

/**
 * The JSON Schema (2020-12) of toolsite.json, for editors and for site owners. It says what a schema can say: a
 * manifest that it refuses is refused by the platform, too. Beyond it the platform checks the input schemas, that names
 * of tools are unique, what hosts addresses have, and the size.
 */
export function manifestJsonSchema(): Record<string, unknown> {
  const document = toJsonSchema(manifestShape(), {
    target: 'draft-2020-12',
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? inputSchema : undefined),
    overrideAction: ({ valibotAction: action, jsonSchema }) => {
      if (action.type === 'raw_check') return { ...jsonSchema, ...httpsAddress }
      return isRegex(action) ? withPattern(jsonSchema, action.requirement) : undefined
    },
  })
  const { $schema, ...rest } = document
  return { $schema, title: 'toolsite.json', description, ...rest }
}

const description =
  'The manifest of a site whose tools agents can call, served at /.well-known/toolsite.json: UTF-8, at most 256 KiB. Unknown members are ignored.'

/** What the rules for addresses come to in a pattern; the rest of them is about hosts and ports. */
const httpsAddress: JsonSchema = {
  maxLength: 2048,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^/?#@\\s\\\\]+(?:[/?][^#\\s\\\\]*)?$',
}

const anySchema: JsonSchema = { type: ['object', 'boolean'] as never }
const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    properties: { type: 'object', additionalProperties: anySchema },
    required: { type: 'array', items: { type: 'string' } },
    $ref: false,
    $dynamicRef: false,
  },
  required: ['type'],
}

const isRegex = (action: { type: string }): action is { type: 'regex'; requirement: RegExp } => action.type === 'regex'

/** One pattern a schema has; of a second one both must hold. */
function withPattern({ pattern, ...schema }: JsonSchema, { source }: RegExp): JsonSchema {
  if (pattern === undefined || pattern === source) return { ...schema, pattern: source }
  const patterns = [pattern, source].map((one) => ({ pattern: one }))
  return { ...schema, allOf: [...(schema.allOf ?? []), ...patterns] }
}
