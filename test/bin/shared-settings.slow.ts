// @promise start
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { execa } from '../../bin/execa.ts'
import * as admin from '../../api/admin.ts'
import * as auth from '../../api/auth.ts'
import * as vault from '../../api/vault.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import type { Addresses } from '../../bin/local/stack.ts'
import { askSite } from '../../bin/local/ask-site.ts'
import { call } from '../helpers/client.ts'
import { installation } from '../helpers/installation.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const root = join(import.meta.dirname, '../..')
const real = { api: join(root, 'bin/api.ts'), worker: join(root, 'bin/worker.ts') }

test('commands beside a start need no settings, and a connected site knows its token after the next start', async (t) => {
  const { data, records, api, start } = await installation({ REGISTRATION: 'invited' })
  t.teardown(() => endRecorded(records))
  /** As an operator gives a command in another terminal, where only the folder is known. */
  const command = (file: string, ...args: string[]) =>
    execa(process.execPath, [join(root, file), ...args], {
      env: { ...ownEnvironment(), DATA_DIR: data },
      extendEnv: false,
      reject: false,
    })
  const url = `http://127.0.0.1:${api}`
  const credentials = { email: 'grace@example.com', password: 'a good password' }

  const first = start(real)
  await first.ready
  const invited = await command('bin/admin.ts', 'invite', credentials.email)
  t.deepEqual([invited.exitCode, invited.stderr], [0, ''])
  t.true(invited.stdout.includes(`POST ${url}/auth/register`), 'the address of this start')
  const [invitation = ''] = /sy_invite_[\w-]{43}/.exec(invited.stdout) ?? []
  t.is((await call({ url }, auth.register, { body: credentials })).failure.code, 'PERMISSION_DENIED')
  t.is((await call({ url }, auth.register, { body: { ...credentials, invitation } })).status, 201)
  const someone = { url, token: (await call({ url }, auth.login, { body: credentials })).body.accessToken }
  await call(someone, auth.acceptTerms)
  t.is((await call(someone, admin.listHosts)).failure.code, 'ADMIN_REQUIRED')
  t.like(await command('bin/admin.ts', 'make-admin', credentials.email), { exitCode: 0, stderr: '' })
  t.is((await call(someone, admin.listHosts)).status, 200)

  const { sites, siteCaFile } = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')) as Addresses
  const site = sites[0] ?? ''
  const wanted = { method: 'POST', url: `${site}/settings/tokens`, body: { user: 'ada', role: 'editor' } }
  const { token } = (await askSite(siteCaFile, wanted)) as { token: string }
  const entryId = (await call(someone, vault.addToVault, { body: { url: site, token } })).body.id
  const search = () =>
    call(someone, vault.callTool, { params: { entryId, toolName: 'search_issues' }, body: { text: 'export' } })
  t.is((await search()).status, 200)

  first.kill('SIGTERM')
  t.is(await first.ended, 0)
  const away = await command('bin/admin.ts', 'make-admin', credentials.email)
  t.is(away.exitCode, 1)
  t.regex(away.stderr, /`npm start` is not running here/)

  const second = start(real)
  await second.ready
  t.is((await search()).status, 200, 'with the token from before')
  t.is((await call(someone, admin.listHosts)).status, 200)
  second.kill('SIGTERM')
  t.is(await second.ended, 0)
})
