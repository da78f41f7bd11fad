import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/** The JSON Schema of a request (`input`) or a response (`output`), for OpenAPI 3.1. */
export function schemaOf(of: GenericSchema, typeMode: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = toJsonSchema(of, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    ignoreActions: ['transform', 'check', 'string', 'custom'],
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'date' ? { type: 'string', format: 'date-time' } : jsonSchema,
  }) as Record<string, unknown>
  return rest
}
