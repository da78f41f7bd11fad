import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/** The JSON Schema of what is sent (`input`) or answered (`output`), as OpenAPI 3.1 has it. */
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
