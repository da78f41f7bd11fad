import test, { type ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { watch } from '../helpers/watch.ts'
import { openModels } from './stage.ts'
import { startTalker } from './talker.ts'

/** A platform with a worker whose model says what the test says, and every statement about words since. */
async function open(t: ExecutionContext) {
  const talker = await startTalker(t)
  const { platform } = await openModels(t, [talker.provider(['spoken'])], { env: { STREAM_POLL_MS: '100' } })
  const someone = await customer(platform)
  const { database } = platform.services
  const statements: string[] = []
  database.on('query', ({ sql }: { sql: string }) => void (sql.includes('live_') && statements.push(sql.trim())))
  const of = (pattern: RegExp) => statements.filter((sql) => pattern.test(sql)).length
  const said = { asked: () => of(/^select run_id/), written: () => of(/^insert into live_words/) }
  const begin = async () => (await start(someone, await agentOf(someone))).body.id
  return { talker, platform, someone, database, statements, said, begin }
}

// @promise live-words
test('a worker whose runs nobody watches writes no words, and asks at most twice a second for all of them', async (t) => {
  const { platform, talker, someone, database, statements, said, begin } = await open(t)
  const quick = await begin()
  const call = await talker.call('spoken')
  call.say('Done.')
  call.finish()
  await ended(someone, quick)

  const began = performance.now()
  const runIds = await Promise.all([begin(), begin(), begin()])
  const calls = await Promise.all([2, 3, 4].map((number) => talker.call('spoken', number)))
  await eventually(20, 'it has asked four times', () => {
    for (const one of calls) one.say('word ')
    return said.asked() >= 4 || undefined
  })
  const tookMs = performance.now() - began
  t.true(said.asked() <= 2 + tookMs / 500, `${said.asked()} times in ${tookMs} ms`)
  for (const one of calls) one.finish()
  for (const runId of runIds) await ended(someone, runId)
  // Until nothing is under way.
  await platform.services.runs.live.stop()
  t.is(statements.length, said.asked(), 'nothing else is asked or written')
  t.deepEqual(await database('live_words'), [])
})

test('words that cannot be written disturb neither the run nor its stream, and come when they can', async (t) => {
  const { talker, platform, someone, database, said, begin } = await open(t)
  await database.raw('alter table live_words add constraint never check (false)')
  const runId = await begin()
  const stream = await watch(someone, runId)
  const call = await talker.call('spoken')
  call.say('In vain')
  await eventually(20, 'it is tried twice', () => said.written() >= 2 || undefined)
  t.is(platform.logs.filter((line) => line.includes('failed to relay partial model answers')).length, 1)
  await database.raw('alter table live_words drop constraint never')
  call.say(', and then not.')
  const texts = () => stream.words.map(({ data }) => (data as { data: { text: string } }).data.text).join('')
  await eventually(20, 'all words arrive', () => texts() === 'In vain, and then not.' || undefined)

  await database.raw('drop table live_watches')
  const asked = said.asked()
  await eventually(20, 'it has asked again', () => {
    call.say(' More.')
    return said.asked() > asked + 1 || undefined
  })
  call.finish()
  await ended(someone, runId)
  t.is(await stream.ended, 'ended')
  const timeline = await timelineOf(someone, runId)
  t.deepEqual(
    stream.events.map(({ data }) => data),
    timeline,
  )
  const [{ text, attempt } = {}] = dataOf(timeline, 'step.finished')
  t.regex(String(text), /^In vain, and then not\.( More\.)+$/)
  t.is(attempt, 1)
})
