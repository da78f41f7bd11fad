import type { ExecutionContext } from 'ava'
import { customer, deliver, ended, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'

/** A payload of which the model says every word: each million characters cost 150 credits. */
const millions = 36

/**
 * Somebody who has spent a month's credits as one does: by a run. On a platform of its own, because it needs a worker,
 * and budgets that let a single run spend all.
 */
export function createSpender(t: ExecutionContext) {
  async function spend() {
    const platform = await startPlatform(t, {
      worker: true,
      env: { WEBHOOK_BODY_BYTES: '100000000', RUN_TOKENS: '1000000000', RUN_CREDITS: '1000000000' },
    })
    const someone = await customer(platform)
    const agent = await webhookAgent(someone, { allowActionOverride: true })
    const { body } = await deliver(platform, agent, { action: `[[say ${'x'.repeat(millions * 1_000_000)}]]` })
    await ended(someone, body.runId, 120)
    return { someone, agent, runId: body.runId }
  }

  let spent: ReturnType<typeof spend> | undefined
  return () => (spent ??= spend())
}

export type Spender = ReturnType<typeof createSpender>
