import { readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import * as auth from '../../../api/auth.ts'
import { createFirstAdmin } from '../../../api/first-admin.ts'
import { firstAdminLink } from '../../../bin/first-admin-link.ts'
import { firstAdminFile, makeFirstAdmin } from '../../../bin/local/first-admin.ts'
import { User } from '../../../src/users/user.ts'
import { call } from '../../helpers/client.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { ownServerOptions } from '../../helpers/servers.ts'

test('a data folder gets an admin once, whose password only its user may read', async (t) => {
  const platform = await startPlatform(t)
  const { database } = platform.services
  const { folder } = ownServerOptions()
  const file = firstAdminFile(folder)
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as { email: string; password: string }

  await makeFirstAdmin(folder, database)
  t.is(statSync(file).mode & 0o777, 0o600)
  const first = read()
  t.is((await call(platform, auth.login, { body: first })).status, 200)
  t.true((await User.query(database).findOne({ email: first.email }))?.admin)

  // A start that was killed before it had made the account goes on with the same password.
  await User.query(database).delete().where({ email: first.email })
  renameSync(file, `${file}.new`)
  await makeFirstAdmin(folder, database)
  t.deepEqual(read(), first)
  t.is((await call(platform, auth.login, { body: first })).status, 200)

  await User.query(database).delete().where({ email: first.email })
  await makeFirstAdmin(folder, database)
  t.is(await User.query(database).resultSize(), 0, 'who was deleted does not come back')
  t.is(join(folder, 'admin.json'), file)
})

test('only the latest link makes an admin, and there is none once somebody but the local one is', async (t) => {
  const platform = await startPlatform(t)
  const { database } = platform.services
  await makeFirstAdmin(ownServerOptions().folder, database)
  const link = () => firstAdminLink(database, 'https://switchyard.example.com')
  const tokenIn = (text = '') =>
    /^https:\/\/switchyard\.example\.com\/console\/first#(sy_admin_[\w-]+)$/.exec(text)?.[1] ?? ''
  const use = (token: string) =>
    call(platform, createFirstAdmin, { body: { token, email: 'ada@example.com', password: 'correct horse battery' } })
  const [earlier, latest] = [tokenIn(await link()), tokenIn(await link())]
  t.is((await use(earlier)).failure.code, 'INVALID_TOKEN')
  t.is((await use(latest)).status, 201)
  t.is(await link(), undefined)
})
