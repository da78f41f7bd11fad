import test from 'ava'
import { affectedBy, changeRuns, mayAffect, type Progress, type Target } from '../../console/lists/change-runs.ts'
import { chosenInWords, progressInWords, refusalsByCode } from '../../console/lists/change-words.ts'
import { leftOutInWords, previewInWords, replayed } from '../../console/lists/replays.ts'
import type { ListedRun } from '../../console/lists/run-list.ts'

const refusal = { runId: 'r', code: 'RUN_NOT_CANCELLABLE' as const }

async function changing(target: Target, answers: (object | Error)[]) {
  const sent: unknown[] = []
  const pauses: number[] = []
  const steps: Progress[] = []
  const send = async (body: unknown) => {
    sent.push(body)
    const answer = answers[sent.length - 1]
    if (answer === undefined || 'code' in answer) throw answer ?? new Error('was asked too often')
    return answer as never
  }
  for await (const step of changeRuns(target, send, async (ms) => void pauses.push(ms))) steps.push(step)
  return { sent, steps, pauses }
}

test('chosen runs are sent a hundred at a time', async (t) => {
  const runIds = Array.from({ length: 250 }, (_, index) => String(index))
  const full = { changed: 100, refused: [], more: false }
  const { sent, steps } = await changing({ runIds }, [full, full, { changed: 49, refused: [refusal], more: false }])
  t.deepEqual(sent, [{ runIds: runIds.slice(0, 100) }, { runIds: runIds.slice(100, 200) }, { runIds: runIds.slice(200) }])
  t.deepEqual(steps.map(({ changed, more }) => [changed, more]), [[100, true], [200, true], [249, false]])
  t.deepEqual(steps.at(-1)?.refused, [refusal])
})

test('a filter is sent until no run matches it', async (t) => {
  const filter = { status: 'queued' as const }
  const { sent, steps } = await changing({ filter }, [
    { changed: 100, refused: [], more: true },
    { changed: 7, refused: [], more: false },
  ])
  t.deepEqual(sent, [{ filter }, { filter }])
  t.deepEqual(steps.at(-1), { changed: 107, refused: [], more: false })
})

test('a filter is not sent again when every run was refused', async (t) => {
  const { sent, steps } = await changing({ filter: {} }, [{ changed: 0, refused: [refusal], more: true }])
  t.is(sent.length, 1)
  t.true(steps.at(-1)?.more)
})

test('after too many requests the change pauses and goes on', async (t) => {
  const limited = { code: 'RATE_LIMITED', error: 'Too many requests.' }
  const { steps, pauses } = await changing({ filter: {} }, [limited, limited, { changed: 1, refused: [], more: false }])
  t.is(pauses.length, 2)
  t.is(steps.at(-1)?.changed, 1)
})

test('another refusal ends the change', async (t) => {
  const denied = { code: 'PERMISSION_DENIED', error: 'You may not.' }
  await t.throwsAsync(changing({ filter: {} }, [denied]), { any: true, is: denied })
})

const runs = ['queued', 'running', 'waiting', 'completed', 'failed'].map((status) => ({ status }) as ListedRun)

test('unfinished runs can be cancelled, and those that are not at work can be skipped', (t) => {
  t.is(affectedBy('cancel', runs), 3)
  t.is(affectedBy('skip', runs), 2)
  t.true(mayAffect('cancel', undefined))
  t.true(mayAffect('cancel', 'running'))
  t.false(mayAffect('skip', 'running'))
  t.false(mayAffect('cancel', 'failed'))
})

test('a dialog says how many runs change and which stay', (t) => {
  t.is(chosenInWords('cancel', 2, 2), '2 runs will be cancelled.')
  t.is(chosenInWords('cancel', 1, 2), '1 run will be cancelled. Runs that have ended stay as they are.')
  t.is(progressInWords('skip', { changed: 1, refused: [refusal] }), '1 run skipped, 1 run not changed.')
  const other = { runId: 's', code: 'RUN_NOT_FOUND' as const }
  t.deepEqual(refusalsByCode([other, refusal, refusal]), [
    { code: 'RUN_NOT_CANCELLABLE', count: 2 },
    { code: 'RUN_NOT_FOUND', count: 1 },
  ])
})

const part = { firstSequence: null, lastSequence: null, message: '', stopped: null, next: null }
const leftOut = { replayed: 0, onceCalls: 0, schema: 0, purged: 0 }

test('a replay goes on with the range of the answer and keeps the rest of the filter', async (t) => {
  const sent: unknown[] = []
  const answers = [{ ...part, leftOut, replays: 900, next: { from: 1001, to: 5200 } }, { ...part, leftOut, replays: 3 }]
  const send = async (body: unknown) => answers[sent.push(body) - 1] as never
  const steps = await Array.fromAsync(replayed({ reason: 'MODEL_ERROR' }, send))
  t.deepEqual(sent, [{ reason: 'MODEL_ERROR' }, { reason: 'MODEL_ERROR', from: 1001, to: 5200 }])
  t.deepEqual(steps.map(({ count }) => count), [900, 903])
})

test('a replay that was stopped does not go on', async (t) => {
  const stopped = { code: 'NO_CREDITS' as const, error: 'You have no credits left.' }
  const answer = { ...part, leftOut, replays: 5, stopped, next: { from: 6, to: 9 } }
  const steps = await Array.fromAsync(replayed({}, async () => answer))
  t.deepEqual(steps, [{ count: 5, stopped: 'You have no credits left.', more: true }])
})

test('a preview says what would be replayed and what is left out', (t) => {
  t.is(previewInWords({ replays: 0, next: null }), 'There are no deliveries to replay.')
  t.is(previewInWords({ replays: 1, next: null }), '1 delivery will be replayed.')
  t.is(previewInWords({ replays: 900, next: { from: 1, to: 2 } }), 'At least 900 deliveries will be replayed.')
  t.deepEqual(leftOutInWords({ ...leftOut, replayed: 2 }), ['2 deliveries already replayed'])
})
