import type { BrowserContext, Page } from 'playwright-core'
import { eventually } from '../../helpers/eventually.ts'

/**
 * Notes in every page what screen readers announce: what is added to a live region that is there already and that no
 * dialog hides, and every alert.
 */
const listening = `
  globalThis.announced = []
  const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]'
  const note = (region) => {
    if (region && !region.closest('[aria-hidden=true], [inert]')) announced.push(region.textContent)
  }
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      note((target instanceof Element ? target : target.parentElement)?.closest(live))
      for (const node of addedNodes)
        if (node instanceof Element) for (const alert of [node, ...node.querySelectorAll('*')])
          if (alert.matches('[role=alert]')) note(alert)
    }
  }).observe(document, { childList: true, characterData: true, subtree: true })
`

export const listenTo = (context: BrowserContext): Promise<unknown> => context.addInitScript(listening)

/** Waits until a screen reader has announced such a text since the page was loaded. */
export const announces = (page: Page, text: RegExp): Promise<string> =>
  eventually(20, `${String(text)} is announced`, async () => {
    const announced = await page.evaluate<string[]>('announced')
    return announced.find((said) => text.test(said))
  })
