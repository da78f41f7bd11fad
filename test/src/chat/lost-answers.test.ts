// @promise chat-crashes
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { openSession, send, type TestSession } from '../../chat/stage.ts'
import { person } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { looksAt } from '../database/looks.ts'

/** Of this file's own, without loops: the tests look for lost answers themselves. */
const platformOf = forWholeFile(test, 'lost answers', (t) => startPlatform(t))

async function open() {
  const platform = await platformOf()
  const session = await openSession(await person(platform))
  await send(session, { text: '[[say Hello.]]' }).then((response) => response.json())
  return { platform, session, database: platform.services.database }
}

/** Adds answers to a session, like the one that it has. */
async function addAnswers({ services }: Platform, { id: sessionId }: TestSession, count: number, fields: object) {
  const like = await services.database('chat_answers').where({ sessionId }).first()
  const rows = Array.from({ length: count }, (_, index) => ({ ...like, id: newId(), number: index + 3, ...fields }))
  await services.database.batchInsert('chat_answers', rows, 500)
}

test.serial('as many answers as several processes write are looked after with the second look at them', async (t) => {
  const { platform, session, database } = await open()
  const { chat } = platform.services
  const lost = { status: 'queued', endedAt: null, finish: null, writer: newId(), writerUntil: new Date(0) }
  await addAnswers(platform, session, 1000, lost)
  await chat.takeUpLost()
  const left = () => database('chat_answers').where({ sessionId: session.id }).whereNull('endedAt').pluck('id')
  t.is((await left()).length, 1000)
  // For so long a lease has to be seen expired.
  await delay(1200)
  await chat.takeUpLost()
  t.deepEqual(await left(), [])
})

test.serial('the search for answers to go on with looks at none that is over', async (t) => {
  const { platform, session, database } = await open()
  await addAnswers(platform, session, 1000, {})
  await database.raw('vacuum analyze chat_answers')
  const { chat } = platform.services
  t.is(await looksAt(database, 'chat_answers', () => chat.reconcile()), 0)
  t.is(await looksAt(database, 'chat_answers', () => chat.takeUpLost()), 0)
})
