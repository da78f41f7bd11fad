import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { SafeFetchError } from '../../../src/safe-fetch/safe-fetch.ts'
import { coded } from '../../../src/sign-in/failure.ts'

test('a provider that cannot be reached is logged by its name, with its issuer and the code of the network', async (t) => {
  const lines: string[] = []
  const logger = createLogger('info', 'test', { write: (line: string) => void lines.push(line) })
  const issuer = 'https://idp.example.com'
  const provider = { id: 'acme', title: 'Acme', issuer, clientId: 'us', clientSecret: 'x', workspaceProviderId: null }
  const refused = () => Promise.reject(new SafeFetchError('connect', { maybeSent: false, code: 'ECONNREFUSED' }))
  await t.throwsAsync(coded(logger, provider, refused), { code: 'SITE_UNAVAILABLE' })
  t.like(JSON.parse(lines[0] ?? ''), { provider: 'acme', issuer, privateDetail: 'connect', cause: 'ECONNREFUSED' })
})
