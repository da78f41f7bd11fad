import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, connectBadTools, customer, ended } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { startMock, written } from './contract.ts'
import { providerOf } from './providers.ts'
import { openModels, theKey } from './stage.ts'
import { turns } from './turns.ts'

/** Providers with reasoning of three forms: items, blocks, and a member of a message. */
const providers = ['OpenAI (Responses)', 'Anthropic', 'OpenAI-compatible'].map(providerOf)

const nameOf = (index: number): string => `model-${index}`

test('a run goes on with the worker of another platform by the same request, byte for byte, with the reasoning of the steps before it', async (t) => {
  const mock = await startMock(t)
  const all = await Promise.all(
    providers.map((provider, index) => written(t, provider, { name: nameOf(index), mock, stream: index % 2 === 0 })),
  )
  const { platform, sites, modelsFile } = await openModels(
    t,
    all.map(({ provider }) => provider),
  )
  const someone = await customer(platform, 'enterprise')
  const vaultEntryId = await connectBadTools(someone, sites)
  const releases = all.map(({ relay }) => relay.hold(2))
  const ids = await Promise.all(
    all.map(async (_, index) => {
      const agent = await agentOf(someone, { model: nameOf(index), sites: [{ vaultEntryId }] })
      return (await start(someone, agent)).body.id
    }),
  )
  await eventually(60, 'every second step is asked for', () =>
    all.every(({ relay }) => relay.received().length === 2) ? true : undefined,
  )
  await platform.stopWorker()
  for (const release of releases) release()
  const { database, temporal } = platform.config
  const env = { DATABASE_URL: database.url, TASK_QUEUE: temporal.taskQueue, MODELS_FILE: modelsFile, THE_KEY: theKey }
  await startPlatform(t, { sites, worker: true, env })

  for (const [index, { title, returned, wanted }] of providers.entries()) {
    t.like(await ended(someone, ids[index] ?? '', 150), { status: 'completed', steps: 4, toolCalls: 5 }, title)
    // The second step was asked for twice, with the same bytes.
    const { relay } = all[index] ?? t.fail()
    const texts = relay.received().map(({ text }) => text)
    t.is(texts.length, 5, title)
    t.is(texts[2], texts[1], title)
    for (const [at, body] of relay.bodies().entries())
      t.deepEqual(returned(body), turns.slice(0, at > 1 ? at - 1 : at).flatMap(wanted), title)
  }
})
