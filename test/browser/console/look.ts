import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { picturesFolder } from '../../helpers/pictures.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const colours = ['light', 'dark'] as const

/**
 * What holds for every page in every state, at both widths and in both colours: axe-core finds nothing, and the page is
 * not wider than the window. With CONSOLE_PICTURES, a folder, it keeps a picture of each.
 */
export async function look(t: ExecutionContext, page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? sizes[0]
  for (const size of sizes) {
    await page.setViewportSize(size)
    t.deepEqual(await page.evaluate(wider), [], `${name} is wider than ${size.width} pixels`)
    for (const colorScheme of colours) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      t.deepEqual(await violationsOn(page, colorScheme), [], `${name}, ${size.width} pixels, ${colorScheme}`)
      if (picturesFolder !== undefined)
        await page.screenshot({ path: join(picturesFolder, `${name}-${size.width}-${colorScheme}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(before ?? { width: 1280, height: 800 })
}

/** What reaches beyond the window, innermost last, once the page has measured itself again after a change of its size. */
const wider = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
  document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.tagName + '.' + element.getAttribute('class') + ' ' + element.getBoundingClientRect().right)
))))`

/** In the dark, nothing but the colours is different. */
const rules = { light: '', dark: `, runOnly: ['color-contrast']` }

/** Runs past the page's policy, as a debugger does. */
async function violationsOn(page: Page, colorScheme: (typeof colours)[number]): Promise<string[]> {
  await page.evaluate(`globalThis.axe ?? (() => { ${axeSource} })()`)
  const run = `axe.run(document, { resultTypes: ['violations'] ${rules[colorScheme]} })`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
