import test from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { customer } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { events } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat } from './wire.ts'

const platformOf = sharedPlatform(test)
const stage = sharedModels(test, {
  chat: [
    { id: 'of-unknown-price', price: undefined },
    { id: 'free-of-charge', price: { input: 0, output: 0 } },
  ],
})

test('the cost of a run is null if the price of its model is unknown, and a number if it is known', async (t) => {
  const { platform, provider, play } = await stage()
  const someone = await customer(platform)
  const costs: [model: string, costUsd: number | null][] = [
    ['of-unknown-price', null],
    ['free-of-charge', 0],
    [play([events(chat.all())]), (2000 * 1 + 100 * 2) / 1e6],
  ]
  for (const [model, costUsd] of costs) {
    provider.play(model, [events(chat.all())])
    const { run, steps } = await runOnce(someone, { model })
    t.like(run, { status: 'completed', costUsd }, model)
    t.is(steps[0]?.['costUsd'], costUsd, model)
  }
})

test('the demo model is known to cost nothing, in a run and in the ledger', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const { run } = await owner.follow('[[say done]]')
  t.is(run.costUsd, 0)
  const { items } = (await call(owner, billing.listLedger, { query: { kind: 'step' } })).body
  t.like(items[0], { costUsd: 0, price: { source: 'configured', input: 0, output: 0 } })
})
