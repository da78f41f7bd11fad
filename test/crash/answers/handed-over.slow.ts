// @promise chat-crashes
import test from 'ava'
import * as sessions from '../../../api/sessions.ts'
import { stop } from '../../chat/stage.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { beginAnswer } from './begin.ts'
import { whatBecameOf } from './become.ts'
import { problemsOf } from './expected.ts'
import { killAmid } from './kill.ts'
import { openScene } from './scene.ts'

test('an answer whose process shuts down continues in another one, and the interrupted step is charged once', async (t) => {
  const scene = await openScene(t, { SHUTDOWN_SECONDS: '1' })
  const [api, other] = await Promise.all([scene.startApi(0), scene.startApi(0)])
  const row = { kind: 'continue', phase: 'in mid-word' } as const
  const begun = await beginAnswer(scene, api.url, row, { step: 1, after: 'words', times: 2 })
  t.is(await api.stop(), 0)
  const isAskedAgain = () => scene.model.askedFor(begun.name).length === 2 || undefined
  await eventually(30, 'another process asks again', isAskedAgain)
  for (const _ of ['that has shut down', 'that continues']) await begun.release()
  const seen = await whatBecameOf(scene, begun, other.url)
  t.deepEqual(problemsOf({ ...row, seen, tookMs: 0 }), [])
  t.deepEqual(await scene.contradictions(), [])
})

test('no model is asked again for an answer that is stopped, or whose session ends, after its process has died', async (t) => {
  const scene = await openScene(t)
  const [api, other] = await Promise.all([scene.startApi(0), scene.startApi(0)])
  const row = { kind: 'continue', phase: 'in mid-word' } as const
  const begin = () => beginAnswer(scene, api.url, row, { step: 1, after: 'words', times: 2 })
  const [stopped, ended] = await Promise.all([begin(), begin()])
  await api.kill()
  t.is((await stop({ ...stopped.session, url: other.url }, stopped.answerId)).status, 204)
  const params = { sessionId: ended.session.id }
  t.is((await call({ ...ended.someone, url: other.url }, sessions.endSession, { params })).status, 204)
  for (const { name, answerId } of [stopped, ended]) {
    const answer = () => scene.database('chat_answers').where({ id: answerId }).first()
    await eventually(30, 'it is stopped', async () => (await answer()).status === 'stopped' || undefined)
    t.is(scene.model.askedFor(name).length, 1)
  }
  t.deepEqual(await scene.contradictions(), [])
})

test('an answer that has used up a budget with its last step is complete, whoever records its end', async (t) => {
  // A step has 2,100 tokens.
  const scene = await openScene(t, { RUN_TOKENS: '4000' })
  const row = { kind: 'continue', phase: 'in the write of the end' } as const
  const [played] = await killAmid(scene, { death: 'one of two API processes' }, [row])
  t.like(played?.seen, { status: 'completed', error: null, steps: 2 })
})
