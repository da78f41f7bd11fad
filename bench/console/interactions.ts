import type { Browser, Page } from 'playwright-core'
import type { Report } from '../shared/report.ts'
import { openMeasured, seenWhile, type State } from './measured-page.ts'

const goalMs = 100

/** Collects the rows of the report. */
export function createInteractions(browser: Browser, state: State) {
  const rows: string[][] = []
  const notes: string[] = []

  /** Does something on a page and adds what the browser says of it. */
  async function measure(page: Page, where: string, what: string, work: () => Promise<void>): Promise<void> {
    const { event, task, shift, shifted } = await seenWhile(page, work)
    const isOver = Math.max(event, task) > goalMs
    const [slowest, longest] = [event || 'under 16', task ? Math.round(task) : 'under 50']
    rows.push([where, what, String(slowest), String(longest), isOver ? '**over**' : 'met'])
    if (shift > 0) notes.push(`Shifted by ${shift.toFixed(4)}, ${where}, ${what}: ${[...new Set(shifted)].join('; ')}`)
  }

  return {
    measure,

    on: async (url: string, work: (page: Page) => Promise<void>): Promise<void> => {
      const page = await openMeasured(browser, state)
      await page.goto(url)
      await work(page)
      await page.context().close()
    },

    report: (): Report => ({
      title: 'Using a page of the console',
      text: [
        `\`npm run bench -- console\`: the slowest event until the next frame (Event Timing) and the longest task (Long Tasks, from 50 ms) that Chromium ${browser.version()} reported while somebody did this. The goal is ${goalMs} ms for both.`,
      ],
      columns: ['page', 'interaction', 'slowest event, ms', 'longest task, ms', 'goal'],
      rows,
      notes,
    }),
  }
}

export type Interactions = ReturnType<typeof createInteractions>

export async function press(page: Page, keys: string[], times: number, pauseMs = 30): Promise<void> {
  for (let time = 0; time < times; time += 1)
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.waitForTimeout(pauseMs)
    }
}

/** Turns the wheel by twenty pages. */
export async function wheel(page: Page): Promise<void> {
  await page.mouse.move(640, 600)
  for (let time = 0; time < 20; time += 1) {
    await page.mouse.wheel(0, 700)
    await page.waitForTimeout(100)
  }
}
