import { setTimeout as delay } from 'node:timers/promises'
import type { Stage } from './stage.ts'
import type { PlatformProcess } from '../helpers/processes.ts'

type Role = 'api' | 'worker'

/** Starts these processes, and kills one at random after each pause, replaced at once, until it is told to stop. */
export async function rage(stage: Stage, roles: Role[], pauseMs: [least: number, most: number], signal: AbortSignal) {
  const starts = { api: () => stage.startApi(), worker: () => stage.startWorker() }
  const running: PlatformProcess[] = []
  for (const role of roles) running.push(await starts[role]())
  const [least, most] = pauseMs
  const kill = async () => {
    const kills = { api: 0, worker: 0 }
    for (;;) {
      await delay(least + Math.random() * (most - least), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return kills
      const which = Math.floor(Math.random() * roles.length)
      const role = roles[which] ?? 'api'
      await running[which]?.kill()
      running[which] = await starts[role]()
      kills[role] += 1
    }
  }
  // In an object, because a promise that is returned would be awaited.
  return { done: kill() }
}
