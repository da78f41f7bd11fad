import test from 'ava'
import * as apps from '../../api/apps.ts'
import { call } from '../helpers/client.ts'
import { browserOf, newApp, signIn } from '../helpers/app-sign-in.ts'
import { newOwner } from '../helpers/owner.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const house = forWholeFile(test, 'apps', (t) => startPlatform(t))

test('an app signs in with the official client: registration, a person who agrees, tokens, a call', async (t) => {
  const owner = await newOwner(t, await house())
  const app = newApp(owner)
  await signIn(app, await browserOf(owner))
  t.like(app.tokens(), { token_type: 'Bearer', scope: 'read run' })
  const client = await app.connect(t)
  const { tools } = await client.listTools()
  t.true(tools.some(({ name }) => name === 'list_runs'))
  const { items } = (await call(owner, apps.listApps)).body
  t.like(items[0], { name: 'A test app', redirectHost: '127.0.0.1:39123', scopes: ['read', 'run'] })
})
