import type { ExecutionContext } from 'ava'
import { chance } from '../../money/chance.ts'
import { measured } from '../record.ts'
import { isApi } from './apis.ts'
import { planOf, type ServerName } from './plan.ts'
import { playOnPlatform } from './platform-side.ts'
import { startProxy, type Proxy } from './proxy.ts'
import { playOnSdk } from './sdk-side.ts'
import { startServers } from './servers.ts'
import { doubled, faultsOf, type Seen } from './verdict.ts'

interface Options {
  seed: number
  count: number
  seconds: number
  hurries?: boolean
}

/**
 * Plays one schedule twice through the same proxies: on the platform, whose processes are killed, and with the AI SDK's
 * client. Reports what was measured, and returns the faults of the platform.
 */
export async function playCalls(t: ExecutionContext, { seed, count, seconds, hurries = false }: Options) {
  const began = performance.now()
  const progress = (text: string) =>
    void process.stderr.write(`  ${Math.round((performance.now() - began) / 1000)} s: ${text}\n`)
  const { urls, files, take } = await openRoads(t, seed)
  const plan = planOf(chance(seed), count, files)
  const { outcomes, kills, took } = await playOnPlatform(t, urls, { plan, seconds, hurries, progress })
  const ours = take()
  progress('the same with the AI SDK')
  const failed = await playOnSdk(urls, plan)
  const theirs = take()
  const killed = `${kills.api} API and ${kills.worker} worker processes killed`
  measured(t, `seed ${seed}: ${count} calls in ${took} s, ${killed}`)
  const of = (status: string) => outcomes.filter((one) => one.status === status).length
  for (const line of tableOf([...countsOf(ours), of('unknown'), of('failed')], [...countsOf(theirs), '-', failed]))
    measured(t, line)
  return { faults: faultsOf(plan, outcomes, ours), repeated: doubled(theirs).executed, inDoubt: of('unknown'), kills }
}

/** The servers behind proxies. `take` returns what was seen there since the last time. */
async function openRoads(t: ExecutionContext, seed: number) {
  const { sockets, files, counter } = await startServers(t)
  const proxies = new Map<ServerName, Proxy>()
  for (const [name, socket] of Object.entries(sockets))
    proxies.set(name as ServerName, await startProxy(t, socket, seed))
  const take = (): Seen => ({
    sent: [...proxies.values()].flatMap((proxy) => proxy.take()),
    executions: counter.take(),
  })
  const urls = Object.fromEntries([...proxies].map(([name, { origin }]) => [name, addressOf(name, origin)]))
  return { urls: urls as Record<ServerName, string>, files, take }
}

const addressOf = (name: ServerName, origin: string): string => `${origin}${isApi(name) ? '/openapi.json' : '/mcp'}`

const rows = ['let through', 'answers cut or torn', 'sent twice', 'counted twice', 'in doubt', 'failed']

function countsOf(seen: Seen): number[] {
  const { sent, executed } = doubled(seen)
  const spoiled = seen.sent.filter(({ fate }) => fate === 'cut' || fate === 'torn')
  return [seen.sent.length, spoiled.length, sent.length, executed.length]
}

const tableOf = (ours: (number | string)[], theirs: (number | string)[]): string[] =>
  ['', ...rows].map((name, index) => {
    const [one, two] = index === 0 ? ['platform', 'AI SDK, two retries'] : [ours[index - 1], theirs[index - 1]]
    return `${name.padEnd(22)}${String(one).padEnd(11)}${two}`
  })
