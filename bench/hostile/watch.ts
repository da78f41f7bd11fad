import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../shared/child.ts'
import type { BenchServers } from '../shared/servers.ts'

/** For how long an event loop was held up: until its next turn, and in processor time. */
interface Held {
  maxMs: number
  cpuMs: number
}

/** What a case did to others. */
export interface Measured {
  /** The longest wait of a neighbour at the same API, and of one at an idle server, in milliseconds. */
  worst: number
  idle: number
  /** Requests of the neighbour that failed. */
  failures: number
  api: Held
  worker: Held
}

/** What is allowed, in milliseconds. A worker sends heartbeats every second, and has five to be missed. */
export const allowed = { waitMs: 250, apiCpuMs: 50, workerMs: 1000 }

/** Whether it may be the case that held somebody up. */
export const isSlow = ({ worst, idle, failures, api, worker }: Measured): boolean =>
  worst - idle > allowed.waitMs || failures > 0 || api.cpuMs > allowed.apiCpuMs || worker.maxMs > allowed.workerMs

const none: Held = { maxMs: 0, cpuMs: 0 }
/** The longest turn is known with the next one; the event loop is looked at every 10 ms. */
const settleMs = 12

/** Measures what work does to the neighbour and to the event loops of the processes. */
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
     * Measures the case up to three times, and takes the best: what the case does, it does every time, and what other
     * programs on this machine do, they do not.
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

/** How far beyond what is allowed it is. */
const badness = ({ worst, idle, api }: Measured): number =>
  Math.max((worst - idle) / allowed.waitMs, api.cpuMs / allowed.apiCpuMs)
