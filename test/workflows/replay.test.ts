import { readdir, readFile } from 'node:fs/promises'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import test from 'ava'
import { bundleWorkflows } from '../../bin/polling.ts'
import { scenarios, type History } from './scenarios.ts'

const folder = new URL('histories/', import.meta.url)

let bundle: ReturnType<typeof bundleWorkflows> | undefined

async function replay(history: History): Promise<void> {
  if (!bundle) Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') })
  bundle ??= bundleWorkflows()
  await Worker.runReplayHistory({ workflowBundle: await bundle }, history)
}

const read = async (name: string): Promise<History> =>
  JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as History

for (const name of Object.keys(scenarios)) {
  test(`today’s workflows replay the recorded history ${name}`, async (t) => {
    await t.notThrowsAsync(async () => replay(await read(name)))
  })
}

test('every recorded history is replayed', async (t) => {
  const recorded = (await readdir(folder)).map((file) => file.replace(/\.json$/, ''))
  t.deepEqual(recorded.toSorted(), Object.keys(scenarios).toSorted())
})

test('a history in which something else was done is not replayed', async (t) => {
  const other = JSON.stringify(await read('run-completed-with-tools')).replaceAll('"advance"', '"proceed"')
  await t.throwsAsync(replay(JSON.parse(other) as History), { instanceOf: DeterminismViolationError })
})

test('a queue that went on lingering when it was suggested to continue as new, as it once did, is replayed', async (t) => {
  const before = JSON.stringify(await read('queue-woken-while-claiming'))
  const suggested = before.replaceAll('"historySizeBytes"', '"suggestContinueAsNew":true,"historySizeBytes"')
  t.not(suggested, before)
  await t.notThrowsAsync(replay(JSON.parse(suggested) as History))
})

test('nothing but identifiers, enums, counts and times is in a history', async (t) => {
  for (const name of Object.keys(scenarios)) {
    for (const text of decoded(await read(name))) {
      t.notRegex(text, /\[\[|"text"|systemPrompt|arguments|any-token/, name)
    }
  }
})

/** Every payload of the history as text. */
function decoded(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'data' && typeof inner === 'string' ? [Buffer.from(inner, 'base64').toString()] : decoded(inner),
  )
}
