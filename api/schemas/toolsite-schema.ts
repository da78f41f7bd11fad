import * as v from 'valibot'
import { manifestJsonSchema } from '../../src/sites/dialects/manifest/manifest-schema.ts'
import { route } from '../route/route.ts'
import { named } from './documented.ts'

/** Built once, because anyone may request it at any rate. */
let made: ReturnType<typeof manifestJsonSchema> | undefined

export const readToolsiteSchema = route({
  name: 'readToolsiteSchema',
  tag: 'sites',
  access: 'anyone',
  method: 'get',
  path: '/schemas/toolsite.json',
  summary: 'Get the JSON Schema of the manifest',
  description: 'JSON Schema (2020-12), for code editors and site owners.',
  status: 200,
  response: named('ManifestSchema', v.record(v.string(), v.unknown()), 'JSON Schema of `toolsite.json`', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'toolsite.json',
    type: 'object',
  }),
  handle: async () => (made ??= manifestJsonSchema()),
})
