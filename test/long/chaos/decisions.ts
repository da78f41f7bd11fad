import { setTimeout as delay } from 'node:timers/promises'
import * as approvals from '../../../api/approvals.ts'
import { call } from '../../helpers/client.ts'
import type { Person } from '../../helpers/people.ts'
import type { Load, Pace } from './told.ts'
import type { createPatience } from './requests.ts'

interface Parts {
  someone: Person
  patience: ReturnType<typeof createPatience>
  pace: Pace
}

/** An owner who approves three of four calls, and refuses the others, each some time after having seen it. */
export function createDesk(load: Pick<Load, 'accepted'>, { someone, patience, pace: { random } }: Parts) {
  const underWay = new Map<string, Promise<void>>()

  async function decide(approvalId: string, decision: 'approve' | 'refuse', afterMs: number): Promise<void> {
    await delay(afterMs)
    const send = () => call(someone, approvals.decideApproval, { params: { approvalId }, body: { decision } })
    const decided = await patience.untilAnswered('decision', send)
    if (decided) load.accepted.push({ what: 'decision', id: decided.id, status: `${decision}d` })
  }

  return {
    async look(): Promise<void> {
      const query = { status: 'pending', limit: '20' }
      const list = () => call(someone, approvals.listApprovals, { query })
      const pending = await patience.once('list of approvals', 10_000, list)
      for (const { id } of pending?.status === 200 ? pending.body.items : []) {
        if (underWay.has(id)) continue
        const deciding = decide(id, random.whole(1, 4) === 1 ? 'refuse' : 'approve', random.whole(50, 3000))
        deciding.catch(() => undefined)
        underWay.set(id, deciding)
      }
    },

    /** Rejects if a decision had no answer. */
    settled: async (): Promise<void> => void (await Promise.all(underWay.values())),
  }
}
