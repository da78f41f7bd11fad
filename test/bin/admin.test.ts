// @promise roles
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { execa } from 'execa'
import * as admin from '../../api/admin.ts'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const program = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url))

const runner =
  (DATABASE_URL: string) =>
  (name: string, args: readonly string[] = []) =>
    execa(process.execPath, [program, name, ...args], {
      env: { ...ownEnvironment(), DATABASE_URL, BASE_URL: 'https://switchyard.example.com' },
      extendEnv: false,
      reject: false,
    })

test('a command makes a user an admin and takes it back, as often as it is given', async (t) => {
  const platform = await startPlatform(t)
  const run = runner(platform.config.database.url)
  const someone = await person(platform, 'ada@example.com')
  const other = await person(platform, 'ada@example.com.eu')
  const may = async () => (await call(someone, admin.listHosts)).status
  t.is(await may(), 403)
  for (const _ of [1, 2]) {
    t.like(await run('make-admin', ['ADA@example.com']), {
      exitCode: 0,
      stdout: 'This account is an admin.',
      stderr: '',
    })
    t.is(await may(), 200, 'with the token from before')
  }
  t.is((await call(other, admin.listHosts)).failure.code, 'ADMIN_REQUIRED')
  for (const _ of [1, 2]) {
    const removed = await run('remove-admin', ['ada@example.com'])
    t.like(removed, { exitCode: 0, stdout: 'This account is no admin.', stderr: '' })
    t.is(await may(), 403)
  }
  for (const name of ['make-admin', 'remove-admin'])
    for (const [args, words] of [
      [['nobody@example.com'], 'There is no account with this address.'],
      [[], `Name one address: npm run admin -- ${name} <address>`],
      [['--delete', 'ada@example.com'], `Name one address: npm run admin -- ${name} <address>`],
      [['ada@example.com', 'bob@example.com'], `Name one address: npm run admin -- ${name} <address>`],
    ] as const)
      t.like(await run(name, args), { exitCode: 1, stdout: '', stderr: words })
})

test('a command prints an invitation, with which the invited makes an account', async (t) => {
  const platform = await startPlatform(t, { env: { REGISTRATION: 'invited' } })
  const run = runner(platform.config.database.url)
  const { exitCode, stdout, stderr } = await run('invite', ['grace@example.com'])
  t.deepEqual([exitCode, stderr], [0, ''])
  t.true(stdout.includes('POST https://switchyard.example.com/auth/register'))
  const [invitation = ''] = /sy_invite_[\w-]{43}/.exec(stdout) ?? []
  const body = { email: 'grace@example.com', password: 'a good password' }
  t.is((await call(platform, auth.register, { body })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(platform, auth.register, { body: { ...body, invitation } })).status, 201)
  for (const [args, words] of [
    [['no address'], 'This is not an email address.'],
    [[], 'Name one address: npm run admin -- invite <address>'],
  ] as const)
    t.like(await run('invite', args), { exitCode: 1, stdout: '', stderr: words })
})
