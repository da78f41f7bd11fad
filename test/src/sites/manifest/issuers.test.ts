import test from 'ava'
import { isCoded } from '../../../../src/errors.ts'
import { parseManifest } from '../../../../src/sites/manifest/manifest.ts'

/** What is wrong with a manifest that names this issuer, by its paths. */
function problemsWith(issuer: string | undefined): string[] {
  const auth = {
    type: 'oauth2',
    authorization_url: 'https://login.site.example/authorize',
    token_url: 'https://login.site.example/token',
    scopes: ['read'],
    ...(issuer !== undefined && { issuer }),
  }
  const about = { name: 'A site', version: '1', description: 'Does.', server: { url: 'https://site.example/api' } }
  const tools = [{ name: 'act', description: 'Acts.', input_schema: { type: 'object', properties: {} } }]
  try {
    parseManifest(Buffer.from(JSON.stringify({ ...about, auth, tools })))
    return []
  } catch (error) {
    if (!isCoded(error, 'MANIFEST_INVALID')) throw error
    return error.details?.map(({ path }) => path) ?? []
  }
}

test('an issuer is of the origin where users give their consent', (t) => {
  t.deepEqual(problemsWith(undefined), [])
  t.deepEqual(problemsWith('https://login.site.example'), [])
  t.deepEqual(problemsWith('https://login.site.example/tenant'), [])
  for (const issuer of ['https://bank.example', 'https://site.example', 'https://login.site.example:8443']) {
    t.deepEqual(problemsWith(issuer), ['auth.issuer'], issuer)
  }
  t.deepEqual(problemsWith('https://login.site.example?tenant=1'), ['auth.issuer'])
})
