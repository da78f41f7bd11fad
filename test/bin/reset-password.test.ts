import { fileURLToPath } from 'node:url'
import test from 'ava'
import { execa } from 'execa'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const program = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url))

test('an operator gives a user a new password: the old one and all logins end, and API keys stay', async (t) => {
  const platform = await startPlatform(t)
  const env = { ...ownEnvironment(), DATABASE_URL: platform.config.database.url }
  const reset = (...addresses: string[]) =>
    execa(process.execPath, [program, 'reset-password', ...addresses], { env, extendEnv: false, reject: false })
  const someone = await person(platform, 'ada@example.com')
  const other = await person(platform)
  const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })

  const { exitCode, stdout, stderr } = await reset('ADA@example.com')
  t.deepEqual([exitCode, stderr], [0, ''])
  const [, password = ''] = /^The new password is (\S{24})\. All logins and chat sessions /.exec(stdout) ?? []
  const login = (using: string) => call(platform, auth.login, { body: { email: someone.email, password: using } })
  t.is((await login(someone.password)).failure.code, 'UNAUTHORIZED')
  t.is((await login(password)).status, 200)
  t.is((await call(someone, auth.me)).failure.code, 'TOKEN_REVOKED')
  t.is((await call({ ...someone, token: key.key }, auth.me)).status, 200)
  t.is((await call(other, auth.me)).status, 200, 'nobody else is affected')

  for (const [addresses, words] of [
    [['nobody@example.com'], 'There is no account with this address.'],
    [['not an address'], 'There is no account with this address.'],
    [[], 'Name one address: npm run admin -- reset-password [--without-totp] <address>'],
    [
      ['a@example.com', 'b@example.com'],
      'Name one address: npm run admin -- reset-password [--without-totp] <address>',
    ],
  ] as const)
    t.like(await reset(...addresses), { exitCode: 1, stdout: '', stderr: words })
})
