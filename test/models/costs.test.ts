import { LLMock } from '@copilotkit/aimock'
import test from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, ended, runOf, timelineOf } from '../helpers/people.ts'
import { dataOf, openScripts, start } from '../helpers/runs.ts'
import { openModels } from './stage.ts'

test('the cost of a run is null if the price of its model is unknown, and a number if it is known', async (t) => {
  const mock = new LLMock({ port: 0 })
  mock.addFixture({ match: { turnIndex: 0 }, response: { content: 'Done.' } })
  await mock.start()
  t.teardown(() => mock.stop())
  const models = [
    { id: 'unknown' },
    { id: 'free', price: { input: 0, output: 0 } },
    { id: 'paid', price: { input: 1, output: 2 } },
  ]
  const { platform } = await openModels(t, [
    { name: 'local', kind: 'openai-compatible', baseUrl: `${mock.url}/v1`, models },
  ])
  const someone = await customer(platform)
  const costOf = async (model: string) => {
    const agent = await agentOf(someone, { model })
    const { id, costUsd: atFirst } = (await start(someone, agent)).body
    t.is(atFirst, 0, 'nothing was used yet')
    const { costUsd, status } = await ended(someone, id, 60)
    t.is(status, 'completed')
    const [step] = dataOf(await timelineOf(someone, id), 'step.finished')
    t.is(step?.['costUsd'], costUsd)
    return costUsd
  }
  t.is(await costOf('unknown'), null)
  t.is(await costOf('free'), 0)
  t.true(Number(await costOf('paid')) > 0)
})

test('the demo model is known to cost nothing, in a run and in the ledger', async (t) => {
  const { someone, follow } = await openScripts(t)
  const { run } = await follow('[[say done]]')
  t.is((await runOf(someone, run.id)).costUsd, 0)
  const { items } = (await call(someone, billing.listLedger, { query: { kind: 'step' } })).body
  t.like(items[0], { costUsd: 0, price: { source: 'configured', input: 0, output: 0 } })
})
