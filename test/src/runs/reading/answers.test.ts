// @promise record
import test from 'ava'
import * as runs from '../../../../api/runs.ts'
import * as agentRuns from '../../../../api/agent-runs.ts'
import { Step } from '../../../../src/loop/step.ts'
import { call } from '../../../helpers/client.ts'
import { ended, runOf, timelineOf } from '../../../helpers/people.ts'
import { cancel, dataOf, happened, ownScripts, start } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

test('a completed run has the answer of its last step, and what all its steps have used and cost', async (t) => {
  const { follow, someone } = await ownScripts(t, await platformOf())
  const { run, timeline } = await follow('[[call echo_text {"text":"a"}]] [[then]] [[say It is done.]]')
  const steps = dataOf(timeline, 'step.finished')
  t.is(steps.length, 2)
  t.regex(run.answer ?? '', /It is done\./)
  t.is(run.answer, String(steps[1]?.['text']))
  t.not(run.answer, String(steps[0]?.['text']))
  const sum = (name: string) => steps.reduce((total, data) => total + Number(data[name]), 0)
  t.like(run, { steps: 2, toolCalls: 1, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') })
  t.is(run.credits, sum('credits'))
  t.true(run.inputTokens > 0 && run.credits > 0)
  const { items } = (await call(someone, runs.listRuns)).body
  const { answer: _, output: __, ...listed } = run
  t.deepEqual(
    items.find(({ id }) => id === run.id),
    listed,
    'a list has all but answer and output',
  )
})

test('a run that was not completed has no answer, whatever its model said', async (t) => {
  const { someone, scripted, follow } = await ownScripts(t, await platformOf())
  const agent = await scripted('[[call echo_text {"text":"a"}]] [[then]] [[sleep 60]]')
  const { id, answer } = (await start(someone, agent)).body
  t.is(answer, null)
  await happened(someone, id, 'tool.finished')
  t.is((await runOf(someone, id)).answer, null, 'it has said something, and goes on')
  t.is((await cancel(someone, id)).body.answer, null)
  t.is((await ended(someone, id)).answer, null)
  t.true((await timelineOf(someone, id)).some(({ kind }) => kind === 'step.finished'))
  t.like((await follow('[[fail 400]]')).run, { status: 'failed', answer: null })
})

test('an answer is any text, and a start that is repeated later gets it', async (t) => {
  const { platform, someone, scripted } = await ownScripts(t, await platformOf())
  const agent = await scripted('[[say Done.]]')
  const params = { agentId: agent.id }
  const repeat = () => call(someone, agentRuns.startRun, { params, headers: { 'idempotency-key': 'one' } })
  const { id } = (await repeat()).body
  t.is((await ended(someone, id)).status, 'completed')
  for (const answer of ['', 'before\0after \ud800', '"{}"']) {
    await Step.query(platform.services.database).findById([id, 1]).patch({ answer })
    t.is((await runOf(someone, id)).answer, answer)
    t.is((await repeat()).body.answer, answer)
  }
})
