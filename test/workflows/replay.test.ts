// @promise deploys
import { readdir, readFile } from 'node:fs/promises'
import { Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import test from 'ava'
import { installRuntime } from '../helpers/platform.ts'
import { sharedServers } from '../helpers/servers.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { scenarios, type History } from './scenarios.ts'

const folder = new URL('histories/', import.meta.url)

await installRuntime()

const read = async (name: string): Promise<History> =>
  JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as History

/** The history with one more event, behind so many others; whatever comes later has later numbers. */
function withEvent(history: History, behind: number, eventType: string, attributes: Record<string, object>): History {
  const renumbered = (key: string, value: unknown) =>
    /eventId$/i.test(key) && Number(value) > behind ? String(Number(value) + 1) : value
  const { events } = JSON.parse(JSON.stringify(history), renumbered) as History
  const event = { eventTime: events[behind - 1]?.['eventTime'], ...attributes, eventType }
  return { events: events.toSpliced(behind, 0, { ...event, eventId: String(behind + 1) }) }
}

/** Histories as they are not recorded: in the first, something else was done. */
const altered = {
  async other() {
    const text = JSON.stringify(await read('run-completed-with-tools'))
    return JSON.parse(text.replaceAll('"advance"', '"proceed"')) as History
  },
  /** Somebody asks Temporal to cancel a run when the record has said already that it is completed. */
  async 'cancelled-too-late'() {
    const history = await read('run-completed-with-tools')
    const answer = history.events.findLastIndex(({ eventType }) => eventType.endsWith('_ACTIVITY_TASK_COMPLETED'))
    return withEvent(history, answer + 1, 'EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED', {
      workflowExecutionCancelRequestedEventAttributes: { identity: 'operator' },
    })
  },
}

/**
 * How the replay of each history failed, if it did, with the workflow code as it is now, which was bundled for all tests.
 * One worker replays all, because making one takes long.
 */
const replayed = forWholeFile(test, 'replay', async () => {
  const recorded = Object.keys(scenarios).map((name) => [name, read(name)] as const)
  const others = Object.entries(altered).map(([name, make]) => [name, make()] as const)
  const histories = [...recorded, ...others].map(async ([name, history]) => ({
    workflowId: name,
    history: await history,
  }))
  const options = { workflowBundle: { codePath: sharedServers().bundle } }
  const errors = new Map<string, Error | undefined>()
  const results = Worker.runReplayHistories(options, await Promise.all(histories))
  for await (const { workflowId, error } of results) errors.set(workflowId, error)
  return errors
})

for (const name of Object.keys(scenarios)) {
  test(`today’s workflows replay the recorded history ${name}`, async (t) => {
    const errors = await replayed()
    t.true(errors.has(name))
    t.is(errors.get(name), undefined)
  })
}

test('every recorded history is replayed', async (t) => {
  const recorded = (await readdir(folder)).map((file) => file.replace(/\.json$/, ''))
  t.deepEqual(recorded.toSorted(), Object.keys(scenarios).toSorted())
})

test('a history in which something else was done is not replayed', async (t) => {
  t.true((await replayed()).get('other') instanceof DeterminismViolationError)
})

test('a run that is cancelled when its end is already decided ends as it was decided', async (t) => {
  const errors = await replayed()
  t.true(errors.has('cancelled-too-late'))
  t.is(errors.get('cancelled-too-late'), undefined)
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
