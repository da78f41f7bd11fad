import * as runs from '../../api/runs.ts'
import { call } from '../helpers/client.ts'
import { customer, deliver, webhookAgent } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { spendAllBut } from '../helpers/runs.ts'

/** Somebody who has spent a month's credits by a run, made when the first one asks. */
export function createSpender(platform: Platform) {
  async function spend() {
    const someone = await customer(platform)
    const agent = await webhookAgent(someone)
    const { runId } = (await deliver(platform, agent, { title: 'It is broken' })).body
    await spendAllBut(platform, runId, 0)
    await call(someone, runs.cancelRun, { params: { runId } }).then((answer) => answer.body)
    return { someone, agent, runId }
  }

  let spent: ReturnType<typeof spend> | undefined
  return () => (spent ??= spend())
}

export type Spender = ReturnType<typeof createSpender>
