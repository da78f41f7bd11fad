import { setTimeout as delay } from 'node:timers/promises'
import type { Control } from '../../bin/local/control.ts'

/** The two processes that the schedule kills. Databases and engines keep running. */
export interface Victims {
  accepting: Control
  working: Control
}

/**
 * Kills the working and the accepting process in turn, evenly over the time, and starts each again at once. Every side
 * has the same moments: a process that is still starting is killed, too.
 */
export async function killInTurn({ accepting, working }: Victims, kills: number, seconds: number): Promise<void> {
  const began = performance.now()
  const started = new Map<Control, Promise<void>>()
  for (let number = 1; number <= kills; number += 1) {
    await delay(Math.max(0, began + (number * seconds * 1000) / (kills + 1) - performance.now()))
    const victim = number % 2 === 0 ? accepting : working
    await victim.kill()
    const start = victim.start()
    // Fails if it is killed again before it is ready. Only the last one must succeed.
    start.catch(() => undefined)
    started.set(victim, start)
  }
  await Promise.all(started.values())
}
