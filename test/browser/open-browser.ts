import { existsSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { chromium, type Browser, type Page } from 'playwright-core'

/** Where Linux systems, macOS and Windows have a Chromium or a Chrome. None is downloaded for the tests. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
]

const program = places.find((place) => existsSync(place))

/** Starts a headless browser, which the caller closes. */
export function launchBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error(`There is no browser at any of these places: ${places.join(', ')}`)
  // Containers run tests as root, which the sandbox of Chromium does not allow.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
}

/** Opens a headless browser, gone with the test. Each page has cookies of its own, as another person's browser has. */
export async function openBrowser(t: ExecutionContext): Promise<() => Promise<Page>> {
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  return async () => {
    // The example sites' certificates are from an authority that only the platform of the test trusts.
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    return context.newPage()
  }
}
