import type { ExecutionContext } from 'ava'
import type { Person } from '../helpers/people.ts'
import { agentOf, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import type { StageOptions } from '../helpers/runs.ts'
import { startFailingProvider } from './failing-provider.ts'
import { openModels } from './stage.ts'
import { kindOf, type Protocol } from './wire.ts'

/** Models by the provider that has them; what else a provider is given. */
export interface ProviderPlan {
  protocol?: Protocol
  models: string[]
  [member: string]: unknown
}

/** A platform whose models are all those of one scripted server, each by its name. */
export async function openProvider(
  t: ExecutionContext,
  plans: ProviderPlan[],
  options: StageOptions & { default?: string } = {},
) {
  const provider = await startFailingProvider(t)
  const providers = plans.map(({ protocol = 'chat', models, ...more }, index) => ({
    name: `provider-${index}`,
    kind: kindOf[protocol],
    baseUrl: provider.url,
    apiKeyEnv: 'THE_KEY',
    ...more,
    models: models.map((id) => ({ id, price: { input: 1, output: 2 } })),
  }))
  return { provider, ...(await openModels(t, providers, options)) }
}

/** A run of a new agent, to its end. `before` is done to the agent before it runs. */
export async function runOnce(
  someone: Person,
  fields: Parameters<typeof agentOf>[1],
  seconds = 60,
  before: (agent: { id: string }) => Promise<unknown> = () => Promise.resolve(),
) {
  const agent = await agentOf(someone, fields)
  await before(agent)
  const { id } = (await start(someone, agent)).body
  const run = await ended(someone, id, seconds)
  const timeline = await timelineOf(someone, id)
  return {
    run,
    timeline,
    started: dataOf(timeline, 'step.started'),
    failures: dataOf(timeline, 'step.failed'),
    steps: dataOf(timeline, 'step.finished'),
    changes: dataOf(timeline, 'model.changed'),
    outcomes: dataOf(timeline, 'tool.finished'),
  }
}
