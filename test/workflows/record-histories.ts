import { writeFile } from 'node:fs/promises'
import test from 'ava'
import { openScripts } from '../helpers/runs.ts'
import { openClient, scenarios } from './scenarios.ts'

/*
 * Records anew the histories that a test replays: npm run record-histories
 *
 * Do so when a workflow has got a new shape, after adding it to the scenarios. A history that is there already stands
 * for executions that are under way somewhere: if today's workflows cannot replay it, guard the change with `patched`
 * instead of recording it again.
 */
for (const [name, provoke] of Object.entries(scenarios)) {
  test(`records ${name}`, async (t) => {
    const history = await provoke(await openScripts(t), openClient(t))
    t.true(history.events.length > 3)
    const file = new URL(`histories/${name}.json`, import.meta.url)
    await writeFile(file, `${JSON.stringify(history, withoutPlace, 1)}\n`)
  })
}

/** Leaves out what only says where and by whom it was recorded; a replay does not look at it. */
function withoutPlace(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return ''
  return typeof value === 'string' ? value.replace(/^\d+@[\w-]+/, 'recorded') : value
}
