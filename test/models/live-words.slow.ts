import test from 'ava'
import { openStage } from '../crash/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { watch, type Watch } from '../helpers/watch.ts'
import { modelsEnvironment } from './stage.ts'
import { startTalker } from './talker.ts'

const hears = (stream: Watch, text: string) =>
  eventually(20, `the words are ${text}`, () => JSON.stringify(stream.words).includes(text) || undefined)

// @promise live-words
test('the next attempt after a killed worker begins anew, and nothing is left of the words before', async (t) => {
  const talker = await startTalker(t)
  const env = { ...modelsEnvironment([talker.provider(['killed'])]), STREAM_POLL_MS: '100' }
  const { platform, startWorker } = await openStage(t, { env })
  const someone = await customer(platform)
  const worker = await startWorker()
  const { id: runId } = (await start(someone, await agentOf(someone, { model: 'killed' }))).body
  const stream = await watch(someone, runId)
  const { database, runs } = platform.services
  const { live } = runs
  const kept = () => database('live_words').where({ subjectId: runId }).pluck<string[]>('words')
  const first = await talker.call('killed')
  first.say('Before the kill.')
  await hears(stream, 'Before the kill.')
  await live.purge()
  t.is((await kept()).length, 1, 'what is under way is not purged')
  await worker.kill()
  await platform.startWorker()
  const second = await talker.call('killed', 2)
  stream.cut()
  await stream.ended
  const next = await watch(someone, runId)
  second.say('After it.')
  await hears(next, 'After it.')
  t.like(next.words[0]?.data, { data: { attempt: 2, offset: 0 } })
  await live.purge()
  t.deepEqual(await kept(), ['After it.'])
  second.finish()
  await ended(someone, runId)
  t.is(await next.ended, 'ended')
  await eventually(10, 'its words are gone', async () => (await kept()).length === 0 || undefined)
  await database('live_watches').update({ until: new Date(0) })
  await live.purge()
  t.deepEqual(await database('live_watches'), [])
})
