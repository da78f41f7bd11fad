import type { ExecutionContext, TestFn } from 'ava'
import type { Page } from 'playwright-core'
import { buildConsole } from '../../../bin/local/console.ts'
import { catalogueOf } from '../../helpers/catalogue.ts'
import type { Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { startSites } from '../../helpers/sites.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { startMailServer, type Arrived } from '../../helpers/mail-server.ts'
import { eventually } from '../../helpers/eventually.ts'
import { openBrowser } from '../open-browser.ts'
import { listenTo } from './announced.ts'
import { watched } from './watched.ts'

/** A platform with its console, the example sites, a worker, and a browser, for all stories of a file. */
export const consoleStage = (test: TestFn, title: string, more: Record<string, string> = {}) =>
  forWholeFile(test, title, async (t) => {
    await buildConsole(() => {})
    const sites = await startSites(t)
    const mails = await startMailServer(t)
    const env = {
      RECONCILE_SECONDS: '1',
      ...catalogueOf(t, sites, sites.tracker.createToken('ada', 'admin')),
      SMTP_URL: mails.url,
      MAIL_FROM: 'Switchyard <no-reply@example.com>',
      ...more,
    }
    const platform = await startPlatform(t, { sites, worker: true, env })
    const openPage = await openBrowser(t)
    /** The page of a browser of its own. It fails the story if it breaks its policy or logs an error. */
    const openWatched = async (story: ExecutionContext) => {
      const page = watched(story, await openPage())
      await listenTo(page.context())
      return page
    }
    const visit = async (story: ExecutionContext, path: string) => {
      const page = await openWatched(story)
      await page.goto(platform.url + path)
      return page
    }
    const visitAs = async (story: ExecutionContext, someone: Person, path: string, at = platform.url) => {
      const page = await openWatched(story)
      await signIn(page, someone, `${at}/console`)
      await page.goto(at + path)
      return page
    }
    /** The link in the newest mail to an address that leads to such a page. */
    const linkTo = (email: string, path: string) =>
      eventually(30, `a mail with ${path} to ${email}`, async () => {
        await platform.services.mails.send()
        const texts = mails.arrived.filter(({ recipients }) => recipients.includes(email)).map(textOf)
        return texts.flatMap((text) => new RegExp(`https?://\\S+${path}\\S+`).exec(text)?.[0] ?? []).at(-1)
      })
    return { platform, sites, visit, visitAs, openPage, linkTo }
  })

/** The text of a mail, whose long lines are wrapped in transit (RFC 2045, 6.7). */
const textOf = ({ raw }: Arrived): string => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')

/** Signs in by keyboard, as a person would. */
export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>, address: string) {
  await page.goto(address)
  await page.getByLabel('Email').focus()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.getByLabel('Password', { exact: true }).focus()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
}
