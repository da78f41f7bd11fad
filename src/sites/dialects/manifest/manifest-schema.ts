import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema'
import { manifestShape } from './manifest-shape.ts'

/**
 * The JSON Schema (2020-12) of toolsite.json, for editors and site owners. The platform also checks input schemas,
 * unique tool names, the hosts of addresses, and the size.
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
  "A site's manifest, which describes the tools that agents can call. It is served at /.well-known/toolsite.json as UTF-8, at most 256 KiB. Unknown members are ignored."

/** The address rules as a pattern; rules about hosts and ports are left out. */
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

/** Adds a pattern. A schema holds one; further patterns go into `allOf`. */
function withPattern({ pattern, ...schema }: JsonSchema, { source }: RegExp): JsonSchema {
  if (pattern === undefined || pattern === source) return { ...schema, pattern: source }
  const patterns = [pattern, source].map((one) => ({ pattern: one }))
  return { ...schema, allOf: [...(schema.allOf ?? []), ...patterns] }
}
