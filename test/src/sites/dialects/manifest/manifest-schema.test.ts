import { Validator } from '@cfworker/json-schema'
import test from 'ava'
import { createManifest as badTools } from '../../../../../examples/sites/bad-tools/manifest.ts'
import { variants, type ManifestAnswer } from '../../../../../examples/sites/broken-manifest/variants.ts'
import { createContacts } from '../../../../../examples/sites/contacts/contacts.ts'
import { createManifest as contacts } from '../../../../../examples/sites/contacts/manifest.ts'
import { createTools as contactTools } from '../../../../../examples/sites/contacts/tools.ts'
import { createIssues } from '../../../../../examples/sites/issue-tracker/issues.ts'
import { createManifest as issueTracker } from '../../../../../examples/sites/issue-tracker/manifest.ts'
import { createTools } from '../../../../../examples/sites/issue-tracker/tools.ts'
import { isCoded } from '../../../../../src/errors.ts'
import { manifestJsonSchema } from '../../../../../src/sites/dialects/manifest/manifest-schema.ts'
import { parseManifest } from '../../../../../src/sites/dialects/manifest/parse-manifest.ts'

const origin = 'https://site.example'
const oauth2 = {
  type: 'oauth2',
  authorization_url: `${origin}/authorize?tenant=1`,
  token_url: `${origin}/token`,
  scopes: ['read'],
}
const tool = { name: 'get_it', description: 'Gets it.', input_schema: { type: 'object', properties: {} } }
const plain = {
  name: 'Site',
  version: '1',
  description: 'A site.',
  server: { url: origin },
  auth: { type: 'bearer' },
  tools: [tool],
}
const withTool = (change: object) => ({ ...plain, tools: [{ ...tool, ...change }] })
const withAuth = (change: object) => ({ ...plain, auth: { ...oauth2, ...change } })

function parses(manifest: unknown): boolean {
  try {
    parseManifest(Buffer.from(JSON.stringify(manifest)))
    return true
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return false
    throw error
  }
}

const schema = new Validator(manifestJsonSchema(), '2020-12')

/** As it comes over the wire: without members that are undefined. */
const written = (manifest: unknown): unknown => JSON.parse(JSON.stringify(manifest))

const served = ({ body }: ManifestAnswer): unknown => JSON.parse(String(body))

const good: [what: string, manifest: unknown][] = [
  ['of the issue tracker', issueTracker(origin, createTools(createIssues()))],
  ['of the contacts', contacts(origin, contactTools(createContacts()))],
  ['of the bad tools', badTools(origin)],
  ['on a foreign host', served(variants['foreign-host']())],
  ['with unknown members', { ...withTool({ title: 'x' }), more: [1] }],
  ['without tools', { ...plain, tools: [] }],
  ['with OAuth', withAuth({})],
  ['with OAuth in full', withAuth({ revocation_url: `${origin}/revoke`, issuer: `${origin}/as` })],
  ['with scope and effect', withTool({ scope: 'admin', effect: 'idempotent' })],
]
test('what the platform accepts, the schema accepts', (t) => {
  for (const [what, manifest] of good) {
    t.true(parses(manifest), what)
    t.deepEqual(schema.validate(written(manifest)).errors, [], what)
  }
})

const broken: [what: string, manifest: unknown][] = [
  ['that breaks several rules', served(variants['several-rules']())],
  ['that is a list', served(variants.array(origin))],
  ...Object.keys(plain).map((name): [string, unknown] => [`without ${name}`, { ...plain, [name]: undefined }]),
  ['with a tool without anything', withTool({ name: undefined, description: undefined, input_schema: undefined })],
  ['with OAuth without anything', { ...plain, auth: { type: 'oauth2' } }],
  ['with a blank name', { ...plain, name: ' ' }],
  ['with too long a version', { ...plain, version: 'x'.repeat(101) }],
  ['with an http address', { ...plain, server: { url: 'http://site.example' } }],
  ['with a query in the base address', { ...plain, server: { url: `${origin}/?a=1` } }],
  ['with a password in an address', { ...plain, server: { url: 'https://a:b@site.example' } }],
  ['with a fragment in an address', withAuth({ token_url: `${origin}/token#x` })],
  ['with an unknown scope', withAuth({ scopes: ['root'] })],
  ['with a revocation address that is none', withAuth({ revocation_url: '/revoke' })],
  ['with a tool name with spaces', withTool({ name: 'get it' })],
  ['with a tool name of 65 characters', withTool({ name: 'a'.repeat(65) })],
  ['with an input schema of a list', withTool({ input_schema: { type: 'array' } })],
  ['with an effect that nobody knows', withTool({ effect: 'maybe' })],
  ['with 201 tools', { ...plain, tools: Array.from({ length: 201 }, (_, i) => ({ ...tool, name: `t${i}` })) }],
]
test('what the platform refuses, the schema refuses', (t) => {
  for (const [what, manifest] of broken) {
    t.false(parses(manifest), what)
    t.false(schema.validate(written(manifest)).valid, what)
  }
})
