import test from 'ava'
import * as billing from '../../../api/billing.ts'
import { call } from '../../helpers/client.ts'
import { dataOf, openScripts } from '../../helpers/runs.ts'

test('each step of a run is debited once, and the ledger, the run and the timeline agree', async (t) => {
  const { someone, follow } = await openScripts(t)
  const before = (await call(someone, billing.getBilling)).body.balance
  const { run, timeline } = await follow('[[call echo_text {"text":"one"}]] [[then]] [[say done]]')
  t.like(run, { status: 'completed', steps: 2 })
  t.true(run.credits >= 2, 'a step costs one credit at least')

  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  const debits = items.filter(({ runId }) => runId === run.id)
  t.deepEqual(
    debits.map(({ step }) => step).toSorted((a, b) => Number(a) - Number(b)),
    [1, 2],
  )
  const charged = debits.reduce((sum, { credits }) => sum - credits, 0)
  t.is(charged, run.credits)
  t.is((await call(someone, billing.getBilling)).body.balance, before - charged)
  const steps = dataOf(timeline, 'step.finished')
  t.is(
    steps.reduce((sum, { credits }) => sum + Number(credits), 0),
    charged,
  )
  t.is(
    run.inputTokens,
    steps.reduce((sum, { inputTokens }) => sum + Number(inputTokens), 0),
  )
  t.is(
    run.outputTokens,
    steps.reduce((sum, { outputTokens }) => sum + Number(outputTokens), 0),
  )
})
