// @promise apps
import test from 'ava'
import * as apps from '../../../api/apps.ts'
import { newApp } from '../../helpers/app-sign-in.ts'
import { call } from '../../helpers/client.ts'
import { customer } from '../../helpers/people.ts'
import { workspaceOf } from '../../helpers/workspaces.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'connecting an app')

test.serial(
  'a person whom an app sends to the console signs in, chooses, connects it and disconnects it',
  async (t) => {
    const { platform, visit } = await open()
    const someone = await customer(platform, 'team')
    const workspace = await workspaceOf(someone, 'Acme')
    const app = newApp({ url: platform.url, name: '<b>Bank</b>' })
    const path = (await app.ask()).replace(/scope=[^&]*/, 'scope=read+run+decide')
    const page = await visit(t, '/console/sign-in')
    await page.context().route('http://127.0.0.1:39123/**', (route) => route.fulfill({ body: 'Back in the app' }))
    await page.goto(platform.url + path)
    await page.getByLabel('Email').fill(someone.email)
    await page.getByLabel('Password', { exact: true }).fill(someone.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect an app?' }).waitFor()
    const words = await page.innerText('main')
    t.regex(words, /calls itself .?<b>Bank<\/b>/)
    t.regex(words, /return to 127\.0\.0\.1:39123/)
    const tick = (name: RegExp) => page.getByRole('checkbox', { name })
    t.deepEqual(
      await Promise.all(
        [/see your tools/, /call your tools/, /show you approvals/].map((name) => tick(name).isChecked()),
      ),
      [true, true, false],
    )
    await look(t, page, 'allow-app')
    await tick(/call your tools/)
      .locator('xpath=ancestor-or-self::label')
      .click()
    await page.getByRole('button', { name: /The app may act for/ }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Back in the app').waitFor()
    await app.finish(new URL(page.url()))
    t.is(app.tokens().scope, 'read')
    t.like((await call(someone, apps.listApps)).body.items[0], { ownerId: workspace.id, scopes: ['read'] })

    await page.goto(`${platform.url}/console/apps`)
    await page.getByText('<b>Bank</b>').waitFor()
    await look(t, page, 'apps')
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('No app is connected.').waitFor()
    t.deepEqual((await call(someone, apps.listApps)).body.items, [])
  },
)
