import { setImmediate as turn } from 'node:timers/promises'
import { readConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/logger.ts'
import { createServices } from '../../src/services.ts'
import type { startChatServer } from '../../test/helpers/chat-server.ts'

type Provider = Awaited<ReturnType<typeof startChatServer>>

/** The time of one step in milliseconds, until its request arrived at the provider, and after the answer. */
export interface Timed {
  before: number
  after: number
}

/** Times work that sends one request to the provider. */
export async function timed(provider: Provider, work: () => Promise<unknown>): Promise<Timed> {
  const began = performance.now()
  await work()
  const ended = performance.now()
  const { arrived, answered } = provider.exchanges.at(-1) ?? { arrived: Number.NaN, answered: Number.NaN }
  return { before: arrived - began, after: ended - answered }
}

/** A run of the agent, whose steps and calls run in this process. */
export async function openSteps(agentId: string, provider: Provider, env: Record<string, string>) {
  const services = createServices(readConfig(env), createLogger('error', 'bench'))
  const { steps, calls, queue } = services.runs
  const run = await queue.claimNext(agentId)
  if (!run) throw new Error('there is no run to carry out')
  const never = new AbortController().signal
  return {
    /** Runs this many steps, with untimed calls in between. */
    async measure(count: number): Promise<Timed[]> {
      const times: Timed[] = []
      for (let number = 0; number < count; number += 1) {
        times.push(await timed(provider, () => steps.advance(run, never)))
        const move = await steps.advance(run, never)
        if (move.kind !== 'tools') throw new Error(`instead of a call there was: ${JSON.stringify(move)}`)
        for (const { callId } of move.calls) await calls.perform(run, callId, never)
        await turn()
      }
      return times
    },
    warmUp: () => services.models.warmUp(),
    close: () => services.close(),
  }
}
