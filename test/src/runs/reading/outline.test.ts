// @promise record
import test from 'ava'
import * as runEvents from '../../../../api/run-events.ts'
import { outlinedCharacters } from '../../../../src/runs/reading/read-outline.ts'
import { call } from '../../../helpers/client.ts'
import { dataOf, ownScripts } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

test('an outline has the events of a run page by page, with the beginnings of answers and without arguments and results', async (t) => {
  const { follow, someone } = await ownScripts(t, await platformOf())
  const long = 'x'.repeat(outlinedCharacters + 1)
  const { run, timeline } = await follow(`[[call echo_text {"text":"a"}]] [[then]] [[say ${long}]]`)
  const page = async (after: number, limit: number) => {
    const query = { after: String(after), limit: String(limit) }
    return (await call(someone, runEvents.outlineEvents, { params: { runId: run.id }, query })).body
  }
  const { items, more } = await page(0, 100)
  t.false(more)
  t.deepEqual(
    items.map(({ number, kind }) => [number, kind]),
    timeline.map(({ number, kind }) => [number, kind]),
  )
  const steps = dataOf(items, 'step.finished')
  t.like(steps[1], { step: 2, model: 'demo' })
  t.true(String(steps[1]?.['text']).length <= outlinedCharacters)
  const [finished] = dataOf(items, 'tool.finished')
  t.like(finished, { tool: 'echo_text', status: 'succeeded' })
  for (const body of ['arguments', 'result']) t.false(body in (finished ?? {}), body)
  const rest = await page(items.length - 2, 1)
  t.deepEqual([rest.items, rest.more], [items.slice(-2, -1), true])
})
