import { LLMock } from '@copilotkit/aimock'
import type { ExecutionContext } from 'ava'
import { agentOf, connectBadTools, customer, ended, timelineOf } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import type { Provider } from './providers.ts'
import { startRelay, type Relay } from './relay.ts'
import { startScripted } from './servers/scripted.ts'
import { openModels, type WrittenProvider } from './stage.ts'
import { fixtures, turns, type Turn } from './turns.ts'

/** In USD per million tokens. */
export const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

/** A mock that says the turns, whichever of its providers is asked. */
export async function startMock(t: ExecutionContext, script: Turn[] = turns): Promise<string> {
  const mock = new LLMock({ port: 0, logLevel: 'silent' })
  mock.addFixtures(fixtures(script))
  await mock.start()
  t.teardown(() => mock.stop())
  return mock.url
}

/** The provider as MODELS_FILE has it, with one model, and the relay that it is reached by. */
export async function written(
  t: ExecutionContext,
  provider: Provider,
  { name, mock, stream }: { name: string; mock: string; stream: boolean },
): Promise<{ provider: WrittenProvider; relay: Relay }> {
  const { kind, format, path, id, settings } = provider
  const relay = await startRelay(t, format ? await startScripted(t, format, turns) : mock)
  const model = { id, name, price, stream, contextTokens: 200_000, ...provider.model }
  const baseUrl = `${relay.url}${path}`
  return { relay, provider: { name, kind, baseUrl, apiKeyEnv: 'THE_KEY', ...settings, models: [model] } }
}

/** One way of asking a provider. */
export interface Asked {
  /** Of the provider and its model. */
  name: string
  provider: Provider
  stream: boolean
}

/** A platform with these providers, and an agent's run for each, carried out when it is first wanted. */
export async function openContract(t: ExecutionContext, asked: Asked[]) {
  const mock = await startMock(t)
  const all = await Promise.all(
    asked.map(
      async ({ name, provider, stream }) => [name, await written(t, provider, { name, mock, stream })] as const,
    ),
  )
  const { platform, sites } = await openModels(
    t,
    all.map(([, { provider }]) => provider),
  )
  const someone = await customer(platform, 'enterprise')
  const vaultEntryId = await connectBadTools(someone, sites)
  const relays = new Map(all.map(([name, { relay }]) => [name, relay]))

  async function carryOut(model: string) {
    const agent = await agentOf(someone, { model, sites: [{ vaultEntryId }] })
    const { id } = (await start(someone, agent)).body
    const run = await ended(someone, id, 150)
    return { run, relay: relays.get(model) as Relay, timeline: await timelineOf(someone, id) }
  }
  const runs = new Map<string, ReturnType<typeof carryOut>>()
  return {
    platform,
    carriedOut(name: string): ReturnType<typeof carryOut> {
      const running = runs.get(name) ?? carryOut(name)
      runs.set(name, running)
      return running
    },
  }
}

export type Carried = Awaited<ReturnType<Awaited<ReturnType<typeof openContract>>['carriedOut']>>
