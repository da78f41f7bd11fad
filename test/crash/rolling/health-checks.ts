import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import type { Balancer } from './balancer.ts'

/** Proxies give up sooner by default, but here all processes and their users share a machine. */
const timeoutMs = 3000
const intervalMs = 1000

/** After so many failures in a row a process is taken out. */
const mostFailures = 2

/** When an API process was taken out of the balancer or put back, by the clock of this machine. */
export interface Turn {
  url: string
  at: number
  isReady: boolean
}

/** Asks each API process whether it is ready, and takes it out of the balancer while it does not say so in time. */
export function checkHealth(t: ExecutionContext, balancer: Balancer, urls: string[]): Turn[] {
  const turns: Turn[] = []
  const stopped = new AbortController()

  async function isReady(url: string): Promise<boolean> {
    try {
      return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })).ok
    } catch {
      return false
    }
  }

  function turn(url: string, isIn: boolean): void {
    if (isIn) balancer.add(url)
    else void balancer.remove(url)
    turns.push({ url, at: Date.now(), isReady: isIn })
  }

  async function watch(url: string): Promise<void> {
    let failures = 0
    while (!stopped.signal.aborted) {
      const ready = await isReady(url)
      if (ready && failures >= mostFailures) turn(url, true)
      failures = ready ? 0 : failures + 1
      if (failures === mostFailures) turn(url, false)
      await delay(intervalMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const watching = Promise.all(urls.map(watch))
  t.teardown(() => {
    stopped.abort()
    return watching
  })
  return turns
}
