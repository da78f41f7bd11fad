import test from 'ava'
import { readArguments, UsageError } from '../../check-site/arguments.ts'

const read = (...args: string[]) => readArguments(args, { baseUrl: 'https://platform.example', allow: [] })
const site = 'https://a.example'

const senseless: Record<string, string[]> = {
  'no site': [],
  'two sites': [site, 'https://b.example'],
  'a client without a redirect address': [site, '--client-id', 'x'],
  'a redirect address that is none': [site, '--client-id', 'x', '--redirect-uri', 'callback'],
  'a redirect address elsewhere, and nobody to ask': [site, '--client-id', 'x', '--redirect-uri', 'https://c.example'],
  'somebody to ask, and nothing to sign in to': [site, '--code-url', '-'],
  'a number that is none': [site, '--burst', 'many'],
  'an option that there is not': [site, '--what'],
}

test('a command line that makes no sense is refused', (t) => {
  for (const [what, args] of Object.entries(senseless)) t.throws(() => read(...args), { instanceOf: UsageError }, what)
})

test('a command line says everything that the checker is told', (t) => {
  const client = ['--client-id', 'x', '--redirect-uri', 'http://127.0.0.1:5000/back', '--scope', 'read write']
  const tokens = ['--token', 'all', '--token-limited', 'few', '--call-all', '--burst', '70']
  const limits = ['--http-port', '8080', '--timeout', '5', '--patience', '7', '--allow', 'a.example:444', '--json']
  const more = ['--tools', '30', '--strict', '--no-deny', '--sign-in-seconds', '60']
  t.deepEqual(read(site, ...client, ...tokens, ...limits, ...more, '--ca-file', 'ca.pem'), {
    json: true,
    pasted: false,
    strict: true,
    signInSeconds: 60,
    options: {
      site,
      token: 'all',
      limitedToken: 'few',
      callAll: true,
      burst: 70,
      mostTools: 30,
      httpPort: 8080,
      timeoutSeconds: 5,
      patienceSeconds: 7,
      allow: ['a.example:444'],
      caFile: 'ca.pem',
      baseUrl: 'https://platform.example',
      oauth: { clientId: 'x', redirectUri: 'http://127.0.0.1:5000/back', scopes: ['read', 'write'], deny: false },
    },
  })
})
