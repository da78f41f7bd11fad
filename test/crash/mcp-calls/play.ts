import type { ExecutionContext } from 'ava'
import { chance } from '../../money/chance.ts'
import { measured } from '../record.ts'
import type { ServerName } from './plan.ts'
import { planOf } from './plan.ts'
import { playOnPlatform } from './platform-side.ts'
import { startProxy, type Proxy } from './proxy.ts'
import { playOnSdk } from './sdk-side.ts'
import { startServers } from './servers.ts'
import { doubled, faultsOf } from './verdict.ts'

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
  const { sockets, files, counter } = await startServers(t)
  const proxies = {} as Record<ServerName, Proxy>
  for (const [name, socket] of Object.entries(sockets)) proxies[name as ServerName] = await startProxy(t, socket, seed)
  const urls = Object.fromEntries(Object.entries(proxies).map(([name, { url }]) => [name, url])) as Record<
    ServerName,
    string
  >
  const take = () => ({
    sent: Object.values(proxies).flatMap((proxy) => proxy.take()),
    executions: counter.take(),
  })

  const plan = planOf(chance(seed), count, files)
  const { outcomes, kills, took } = await playOnPlatform(t, urls, { plan, seconds, hurries, progress })
  const seen = take()
  progress('the same with the AI SDK')
  const failed = await playOnSdk(urls, plan)
  const other = take()

  const inDoubt = outcomes.filter(({ status }) => status === 'unknown')
  const [ours, theirs] = [doubled(seen), doubled(other)]
  const killed = `${kills.api} API and ${kills.worker} worker processes killed`
  measured(t, `seed ${seed}: ${count} calls in ${took} s, ${killed}`)
  const spoiled = (sent: { fate: string }[]) => sent.filter(({ fate }) => fate === 'cut' || fate === 'torn').length
  measured(t, `                      platform   AI SDK with two retries`)
  const row = (name: string, one: number | string, two: number | string) =>
    measured(t, `${name.padEnd(22)}${String(one).padEnd(11)}${two}`)
  row('let through', seen.sent.length, other.sent.length)
  row('answers cut', spoiled(seen.sent), spoiled(other.sent))
  row('sent twice', ours.sent.length, theirs.sent.length)
  row('counted twice', ours.executed.length, theirs.executed.length)
  row('in doubt', inDoubt.length, '-')
  row('failed', outcomes.filter(({ status }) => status === 'failed').length, failed)
  return { faults: faultsOf(plan, outcomes, seen), ours, theirs, inDoubt, kills }
}
