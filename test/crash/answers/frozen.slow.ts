// @promise chat-crashes
import test from 'ava'
import { eventually } from '../../helpers/eventually.ts'
import { beginAnswer } from './begin.ts'
import { whatBecameOf } from './become.ts'
import { problemsOf } from './expected.ts'
import { openScene } from './scene.ts'

test('an answer whose process stands still is gone on with elsewhere, and what that process still hears of its step is not charged besides', async (t) => {
  const scene = await openScene(t)
  const [api, other] = await Promise.all([scene.startApi(0), scene.startApi(0)])
  const row = { kind: 'continue', phase: 'in mid-word' } as const
  const begun = await beginAnswer(scene, api.url, row, { step: 1, after: 'words', times: 2 })
  process.kill(api.pid, 'SIGSTOP')
  const isAskedAgain = () => scene.model.askedFor(begun.name).length === 2 || undefined
  await eventually(30, 'another process asks again', isAskedAgain)
  process.kill(api.pid, 'SIGCONT')
  // The one that stood still hears the rest first. It may charge what that has cost, or leave it to the other one.
  await begun.release()
  const charges = () => scene.database('ledger_entries').where({ answerId: begun.answerId })
  const isCharged = async () => (await charges()).length > 0 || undefined
  await eventually(5, 'it has charged the step', isCharged).catch(() => undefined)
  await begun.release()
  const seen = await whatBecameOf(scene, begun, other.url)
  t.deepEqual(problemsOf({ ...row, seen, tookMs: 0 }), [])
  t.deepEqual(await scene.contradictions(), [])
})
