import * as v from 'valibot'
import { manifestJsonSchema } from '../../src/sites/manifest/manifest-schema.ts'
import { route } from '../route/route.ts'

export const readToolsiteSchema = route({
  name: 'readToolsiteSchema',
  tag: 'sites',
  access: 'anyone',
  method: 'get',
  path: '/schemas/toolsite.json',
  summary: 'Get the JSON Schema of the manifest',
  description: 'JSON Schema 2020-12, for editors and for owners of sites.',
  status: 200,
  response: v.record(v.string(), v.unknown()),
  handle: async () => manifestJsonSchema(),
})
