import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../shared/child.ts'
import type { BenchServers } from '../shared/servers.ts'

/** How long an event loop was blocked: until its next turn, and in processor time. */
interface Held {
  maxMs: number
  cpuMs: number
}

/** The effect of a case on others. */
export interface Measured {
  /** The longest wait of a neighbour at the same API, and of one at an idle server, in milliseconds. */
  worst: number
  idle: number
  /** Requests of the neighbour that failed. */
  failures: number
  api: Held
  worker: Held
}

/** The allowed times, in milliseconds. A worker sends heartbeats every second, and may miss them for five seconds. */
export const allowed = { waitMs: 250, apiCpuMs: 50, workerMs: 1000 }

/** Whether this case may have delayed others. */
export const isSlow = ({ worst, idle, failures, api, worker }: Measured): boolean =>
  worst - idle > allowed.waitMs || failures > 0 || api.cpuMs > allowed.apiCpuMs || worker.maxMs > allowed.workerMs

const none: Held = { maxMs: 0, cpuMs: 0 }
/** The longest turn is known only with the next one, and the event loop is sampled every 10 ms. */
const settleMs = 12

/** Measures the effect of work on the neighbour and on the event loops of the processes. */
export function createWatch({ processes }: Pick<BenchServers, 'processes'>, neighbour: ChildProcess) {
  async function look(): Promise<Measured> {
    await delay(settleMs)
    const loops = processes.map(async ({ lines, pid }) => {
      const said = new Promise<Held>((resolve) => {
        lines.on('line', function listen(line) {
          if (!line.includes('"msg":"event loop"')) return
          lines.off('line', listen)
          resolve(JSON.parse(line) as Held)
        })
      })
      process.kill(Number(pid), 'SIGUSR2')
      return said
    })
    const [api = none, worker = none] = await Promise.all(loops)
    const { worst, idle, failures } = await ask<Measured>(neighbour, 'look')
    return { api, worker, worst, idle, failures }
  }

  async function measure(run: () => Promise<unknown>): Promise<Measured> {
    await look()
    await run()
    return look()
  }

  return {
    measure,

    /**
     * Measures the case up to three times and takes the best: a case has the same effect every time, and other
     * programs on this machine do not.
     */
    async judge(run: () => Promise<unknown>): Promise<Measured & { tries: number }> {
      let best = await measure(run)
      let tries = 1
      for (; isSlow(best) && tries < 3; tries += 1) {
        const next = await measure(run)
        if (badness(next) < badness(best)) best = next
      }
      return { ...best, tries }
    },
  }
}

/** How far the measurements exceed the allowed times. */
const badness = ({ worst, idle, api }: Measured): number =>
  Math.max((worst - idle) / allowed.waitMs, api.cpuMs / allowed.apiCpuMs)
