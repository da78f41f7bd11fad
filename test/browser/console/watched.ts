import type { ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'

/** The browser's word for an answer of 4xx or 5xx, which the console shows itself, and for a cut connection. */
const ofRequests = /Failed to load resource|net::ERR_/

/** Fails the story if the page breaks its Content Security Policy, throws, or logs an error. */
export function watched(t: ExecutionContext, page: Page): Page {
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !ofRequests.test(message.text())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  t.teardown(async () => {
    if (!t.passed) console.error(`${t.title}: ${page.url()}\n${await page.innerText('body').catch(() => '')}`)
    if (faults.length > 0) throw new Error(`${t.title}: the page had faults:\n${faults.join('\n')}`)
  })
  return page
}
