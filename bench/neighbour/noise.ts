import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import pMap from 'p-map'
import * as agentRoutes from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import { call, type Client } from '../../test/helpers/client.ts'
import { agentOf, customer, person, webhookAgent, type Person } from '../../test/helpers/people.ts'
import { cancel, start } from '../../test/helpers/runs.ts'
import { ask, nextMessage, type Start } from '../shared/child.ts'

/** Owners who use up one share of the platform. */
export interface Noise {
  /** Creates everything in advance, so that the idle system is measured with it. */
  prepare: () => Promise<void>
  begin: () => Promise<void>
  end: () => Promise<void>
}

const accounts = 40
const concurrency = 8
const mebibyte = 1024 * 1024

/**
 * For each share, one owner with everything, and forty free accounts. Free accounts get no deliveries, but send
 * inputs.
 */
export function openNoise(servers: Client, tarpit: string, fork: Start): Record<string, Noise> {
  const many = (count: number, tier?: string) =>
    pMap(Array.from({ length: count }), () => (tier ? customer(servers, tier) : person(servers)), { concurrency })
  const one = () => many(1, 'enterprise')
  const forty = () => many(accounts)
  return {
    'running runs, one owner': running(one, 120),
    'running runs, forty accounts': running(forty, 3),
    'callbacks to tarpits, one owner': callbacks(one, 10, 12, tarpit),
    'callbacks to tarpits, forty accounts': callbacks(forty, 1, 3, tarpit),
    'streams, one owner': inProcess(fork, one, 'streams', (people) => streamTargets(people, 500)),
    'streams, forty accounts': inProcess(fork, forty, 'streams', (people) => streamTargets(people, 30)),
    'requests over several keys, one owner': inProcess(fork, one, 'flood', (people) => withKeys(people, 5)),
    'requests over several keys, forty accounts': inProcess(fork, forty, 'flood', (people) => withKeys(people, 2)),
    'deliveries of 1 MiB, one owner': inProcess(fork, () => many(1, 'pro'), 'flood', webhooks(1, mebibyte)),
    'inputs of 1 MiB, forty accounts': inProcess(fork, forty, 'flood', manual(1, mebibyte)),
    'many starts, one owner': inProcess(fork, one, 'flood', webhooks(60, 200)),
    'many starts, forty accounts': inProcess(fork, forty, 'flood', manual(3, 200)),
  }
}

/** Runs with slow models, until they are cancelled. */
function running(owners: () => Promise<Person[]>, agentsOfEach: number): Noise {
  const agents: { someone: Person; agent: { id: string } }[] = []
  let runs: { someone: Person; id: string }[] = []
  return {
    async prepare() {
      const places = repeated(await owners(), agentsOfEach)
      const make = async (someone: Person) => ({
        someone,
        agent: await agentOf(someone, { systemPrompt: '[[sleep 120]]' }),
      })
      agents.push(...(await pMap(places, make, { concurrency })))
    },
    async begin() {
      const begin = async ({ someone, agent }: (typeof agents)[number]) => ({
        someone,
        id: (await start(someone, agent)).body.id,
      })
      runs = await pMap(agents, begin, { concurrency })
    },
    end: async () => void (await pMap(runs, ({ someone, id }) => cancel(someone, id), { concurrency })),
  }
}

/** Callbacks to a receiver that never answers. */
function callbacks(owners: () => Promise<Person[]>, agentsOfEach: number, endings: number, tarpit: string): Noise {
  const agents: { someone: Person; agent: { id: string } }[] = []
  const endOne = async ({ someone, agent }: (typeof agents)[number]) => {
    for (let ended = 0; ended < endings;) {
      // A run that the worker has just checked takes a moment to end.
      const answer = await start(someone, agent)
      if (answer.status !== 202) continue
      await cancel(someone, answer.body.id)
      ended += 1
    }
  }
  return {
    async prepare() {
      const places = repeated(await owners(), agentsOfEach)
      const fields = { systemPrompt: '[[sleep 120]]', callbackUrl: `${tarpit}/endings` }
      // Runs of a paused agent end as soon as they are cancelled.
      const make = async (someone: Person) => {
        const agent = await agentOf(someone, fields)
        await call(someone, agentRoutes.pauseAgent, { params: { agentId: agent.id } })
        return { someone, agent }
      }
      agents.push(...(await pMap(places, make, { concurrency })))
    },
    begin: async () => void (await pMap(agents, endOne, { concurrency })),
    // Callbacks are retried for a day, which is part of the noise.
    end: () => Promise.resolve(),
  }
}

/** Requests from a separate process, which starts and stops on command. */
function inProcess(
  fork: Start,
  owners: () => Promise<Person[]>,
  name: string,
  targetsOf: (people: Person[]) => Promise<object[]>,
): Noise {
  let noisy: ChildProcess
  return {
    async prepare() {
      noisy = fork(name, JSON.stringify(await targetsOf(await owners())))
      await nextMessage(noisy)
    },
    begin: () => ask(noisy, 'begin'),
    async end() {
      const gone = once(noisy, 'exit')
      noisy.disconnect()
      await gone
    },
  }
}

const withKeys = async (people: Person[], count: number) => {
  const keysOf = async (someone: Person) => {
    const body = { name: 'Noise', scopes: ['read' as const] }
    const keys = await Promise.all(Array.from({ length: count }, () => call(someone, apiKeys.createApiKey, { body })))
    return [someone.token, ...keys.map((answer) => answer.body.key)].map((token) => ({
      url: `${someone.url}/auth/me`,
      headers: bearer(token),
      connections: 3,
    }))
  }
  return (await pMap(people, keysOf, { concurrency })).flat()
}

/** Runs that do not start, because their queue is long, can be watched indefinitely. */
const streamTargets = (people: Person[], count: number) =>
  pMap(
    people,
    async (someone) => {
      const agent = await agentOf(someone, { systemPrompt: '[[sleep 300]]' })
      const { id } = (await start(someone, agent)).body
      return { url: `${someone.url}/runs/${id}/events`, token: someone.token, count }
    },
    { concurrency },
  )

/** Each person once per agent to create. */
const repeated = (people: Person[], agents: number) =>
  people.flatMap((someone) => Array.from({ length: agents }, () => someone))

/** Posts this many bytes to each of an owner's agents. */
const posting =
  (
    agents: number,
    bytes: number,
    targetOf: (someone: Person) => Promise<{ url: string; headers: Record<string, string> }>,
  ) =>
  (people: Person[]) =>
    pMap(repeated(people, agents), async (someone) => ({ ...(await targetOf(someone)), connections: 2, bytes }), {
      concurrency,
    })

const systemPrompt = '[[say done]]'

const webhooks = (agents: number, bytes: number) =>
  posting(agents, bytes, async (someone) => {
    const { id, webhookSecret } = await webhookAgent(someone, { systemPrompt })
    return { url: `${someone.url}/api/webhooks/agent/${id}`, headers: { 'x-webhook-secret': webhookSecret } }
  })

const manual = (agents: number, bytes: number) =>
  posting(agents, bytes, async (someone) => {
    const { id } = await agentOf(someone, { systemPrompt })
    return { url: `${someone.url}/agents/${id}/runs`, headers: bearer(someone.token) }
  })

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })
