import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, timelineOf, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { watch, type Received, type Watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { modelsEnvironment } from './stage.ts'
import { startTalker } from './talker.ts'

/* Words end in a sign that no secret begins with: otherwise the last one may be held back until more is said. */

const models = ['both', 'others', 'broken', 'long']

/** A worker, and two APIs that know nothing of it and of each other but what is in their database. */
const world = forWholeFile(test, 'live-words', async (t) => {
  const talker = await startTalker(t)
  const given = { ...modelsEnvironment([talker.provider(models)]), STREAM_POLL_MS: '100' }
  const platform = await startPlatform(t, { env: given })
  const { database, temporal } = platform.config
  const env = { ...given, DATABASE_URL: database.url, TASK_QUEUE: temporal.taskQueue, BASE_URL: platform.url }
  const [api] = await Promise.all([startPlatform(t, { env }), startPlatform(t, { env, worker: true })])
  return { platform, api, talker, someone: await customer(platform, 'enterprise') }
})

const startedWith = async (someone: Person, model: string): Promise<string> =>
  (await start(someone, await agentOf(someone, { model }))).body.id

interface Words {
  kind: 'words'
  data: { step: number; attempt: number; offset: number; text: string }
}

const wordsOf = ({ words }: Watch): Words['data'][] => words.map(({ data }) => (data as Words).data)
const textOf = (stream: Watch): string =>
  wordsOf(stream)
    .map(({ text }) => text)
    .join('')

const hears = (stream: Watch, text: string) =>
  eventually(20, `the words are ${text.slice(0, 50)}`, () => textOf(stream) === text || undefined)

/** Whether each piece begins where the one before ended. */
const isWhole = (words: Words['data'][]): boolean =>
  words.every(({ offset }, index) => offset === (words[index - 1]?.offset ?? 0) + (words[index - 1]?.text.length ?? 0))

const dataIn = (events: Received[]): unknown[] => events.map(({ data }) => data)

// @promise live-words
test('whoever watches a run sees the words before the step is recorded, at any process, and others do not', async (t) => {
  const { platform, api, talker, someone } = await world()
  const other = await customer(platform)
  const [runId, foreign] = await Promise.all([startedWith(someone, 'both'), startedWith(other, 'others')])
  const [speaking, foreignCall] = await Promise.all([talker.call('both'), talker.call('others')])
  const [here, there] = [await watch(someone, runId), await watch({ ...someone, url: api.url }, runId)]
  const stranger = await watch({ ...other, url: api.url }, runId)
  const foreignStream = await watch(other, foreign)
  await stranger.ended
  t.is(stranger.failure().code, 'RUN_NOT_FOUND')

  foreignCall.say('Not for you. ')
  for (const text of ['I look ', 'at the ', 'export 😀']) speaking.say(text)
  const first = 'I look at the export 😀'
  await Promise.all([hears(here, first), hears(there, first), hears(foreignStream, 'Not for you. ')])
  const late = await watch({ ...someone, url: api.url }, runId)
  const returned = await watch(someone, runId, { lastEventId: here.lastEventId() })
  await Promise.all([hears(late, first), hears(returned, first)])
  t.is(wordsOf(late).length, 1, 'a late reader gets what came so far at once')
  speaking.say(', which hangs.')
  const whole = `${first}, which hangs.`
  const streams = [here, there, late, returned]
  await Promise.all(streams.map((stream) => hears(stream, whole)))
  t.deepEqual(dataOf(await timelineOf(someone, runId), 'step.finished'), [], 'all of this before the step is recorded')

  speaking.finish()
  foreignCall.finish()
  await ended(someone, runId)
  const timeline = await timelineOf(someone, runId)
  t.like(dataOf(timeline, 'step.finished'), [{ text: whole }])
  const begun = timeline.find(({ kind }) => kind === 'step.started')?.number
  for (const stream of streams) {
    t.is(await stream.ended, 'ended')
    t.true(wordsOf(stream).length >= 1 && isWhole(wordsOf(stream)))
    t.true(wordsOf(stream).every(({ step, attempt }) => step === 1 && attempt === 1))
    t.deepEqual([...new Set(stream.words.map(({ id }) => id))], [String(begun)], 'between the events around them')
  }
  t.deepEqual(dataIn(here.events), timeline)
  t.deepEqual(
    [here.events, returned.events].map((events) => events.at(-1)?.id),
    [String(timeline.length), String(timeline.length)],
  )
  t.is(textOf(foreignStream), 'Not for you. ')
})

test('the words of an attempt that failed are over with it, and the next begins anew', async (t) => {
  const { platform, talker, someone } = await world()
  const runId = await startedWith(someone, 'broken')
  const stream = await watch(someone, runId)
  const first = await talker.call('broken')
  first.say('The first. ')
  await hears(stream, 'The first. ')
  first.breakOff()
  const second = await talker.call('broken', 2)
  const late = await watch(someone, runId)
  second.say('The second.')
  await hears(late, 'The second.')
  second.finish()
  await ended(someone, runId)
  await Promise.all([stream.ended, late.ended])
  t.deepEqual(wordsOf(stream), [
    { step: 1, attempt: 1, offset: 0, text: 'The first. ' },
    { step: 1, attempt: 2, offset: 0, text: 'The second.' },
  ])
  const timeline = await timelineOf(someone, runId)
  const started = timeline.filter(({ kind }) => kind === 'step.started').map(({ number }) => String(number))
  t.deepEqual(
    stream.words.map(({ id }) => id),
    started,
  )
  t.like(dataOf(timeline, 'step.finished'), [{ text: 'The second.', attempt: 2 }])
  await eventually(10, 'its words are gone', async () => (await rowsOf(platform, runId)).length === 0 || undefined)
})

const rowsOf = ({ services }: Platform, runId: string) =>
  services.database<{ subjectId: string; words: string }>('live_words').where({ subjectId: runId })

test('of an answer without end the beginning is shown, also to a reader who does not read meanwhile', async (t) => {
  const { platform, talker, someone } = await world()
  const runId = await startedWith(someone, 'long')
  const speaking = await talker.call('long')
  const quick = await watch(someone, runId)
  const slow = await watch(someone, runId, { paused: true })
  // Each piece that is cut off at a round length ends in half a character.
  const piece = '😀'.repeat(5000)
  speaking.say('a')
  for (let said = 0; said < 100; said += 1) speaking.say(piece)
  const text = `a${piece.repeat(100)}`
  const shown = text.slice(0, 128 * 1024 - 1)
  await hears(quick, shown)
  const rows = await rowsOf(platform, runId)
  t.true(rows.every(({ words }) => words.length <= 16 * 1024))
  t.is(
    rows.map(({ words }) => words.length).reduce((sum, length) => sum + length),
    shown.length,
  )
  speaking.finish()
  t.is(await quick.ended, 'ended')
  t.true(isWhole(wordsOf(quick)))
  slow.resume()
  t.is(await slow.ended, 'ended')
  t.true(isWhole(wordsOf(slow)) && shown.startsWith(textOf(slow)))
  const timeline = await timelineOf(someone, runId)
  t.deepEqual(dataIn(slow.events), timeline)
  t.is(dataOf(timeline, 'step.finished')[0]?.['text'], text)
})
