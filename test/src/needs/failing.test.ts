import test from 'ava'
import { failingNeeds, failingOf, type Ending } from '../../../src/needs/failing.ts'
import type { EndReason } from '../../../src/runs/states.ts'

/** Endings, newest first: `f` failed, `c` completed. The newest is number 1 and the most recent hour. */
const endings = (letters: string, reasons: readonly EndReason[] = []): Ending[] =>
  letters.split('').map((letter, index) => ({
    runId: `r${index + 1}`,
    status: letter === 'f' ? 'failed' : 'completed',
    reason: letter === 'f' ? (reasons[index] ?? 'MODEL_ERROR') : null,
    endedAt: new Date(Date.UTC(2026, 10, 21, 23 - index)),
  }))

const hourOf = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour))

for (const { letters, failed, of, since, runId } of [
  { letters: '' },
  { letters: 'ff' },
  { letters: 'fff', failed: 3, of: 3, since: 21, runId: 'r1' },
  { letters: 'fffc', failed: 3, of: 3, since: 21, runId: 'r1' },
  { letters: 'ffcf' },
  { letters: 'fffffcffff', failed: 5, of: 5, since: 19, runId: 'r1' },
  { letters: 'ffffffffff', failed: 10, of: 10, since: 14, runId: 'r1' },
  { letters: 'fcfcfcfcfc', failed: 5, of: 10, since: 15, runId: 'r1' },
  { letters: 'ccffffffff', failed: 8, of: 10, since: 14, runId: 'r3' },
  { letters: 'cfcfcfcfcc' },
  { letters: 'fcfcfcfcf' },
  { letters: 'cccfffffff' },
]) {
  const title = letters === '' ? 'no endings' : `the endings ${letters}`
  test(failed === undefined ? `${title} are no pattern` : `${title} are ${failed} failures of ${of}`, (t) => {
    const found = failingOf(endings(letters))
    if (failed === undefined) t.is(found, null)
    else t.deepEqual(found, { failed, of, since: hourOf(since ?? 0), runId, reason: 'MODEL_ERROR' })
  })
}

test('the most frequent reason is named, and of equally frequent ones the latest', (t) => {
  const reasonOf = (...reasons: EndReason[]) => failingOf(endings('f'.repeat(reasons.length), reasons))?.reason
  t.is(reasonOf('BUDGET_TIME', 'OUTPUT_INVALID', 'OUTPUT_INVALID'), 'OUTPUT_INVALID')
  t.is(reasonOf('BUDGET_TIME', 'OUTPUT_INVALID', 'OUTPUT_INVALID', 'BUDGET_TIME'), 'BUDGET_TIME')
})

test('a failing agent is described in sentences, with a replay only for deliveries', (t) => {
  const agent = { id: 'a1', name: 'Sorter', trigger: 'webhook' }
  const [need, ...others] = failingNeeds(agent, endings('fff', ['OUTPUT_INVALID', 'BUDGET_TIME', 'OUTPUT_INVALID']))
  t.deepEqual(others, [])
  t.like(need, {
    kind: 'failing',
    since: hourOf(21),
    until: null,
    agentId: 'a1',
    agentName: 'Sorter',
    runId: 'r1',
    count: 3,
  })
  t.is(
    need?.message,
    "The last 3 runs of “Sorter” failed. The most frequent reason: The model's answer did not match the agent's output schema, even after a correction.",
  )
  t.regex(need?.action ?? '', /GET \/runs\/r1\/events\. .* POST \/agents\/a1\/replay \(this starts a run/)
  const [share] = failingNeeds({ ...agent, trigger: 'manual' }, endings('cfffffcfcf'))
  t.regex(share?.message ?? '', /^7 of the last 10 runs of “Sorter” failed\./)
  t.notRegex(share?.action ?? '', /replay/)
  t.deepEqual(failingNeeds(agent, endings('ccc')), [])
})
