import type { ExecutionContext, TestFn } from 'ava'
import { later } from '../../../../src/clock.ts'
import type { Database } from '../../../../src/database/database.ts'
import { newId } from '../../../../src/ids.ts'
import { acceptRuns, isNew, type Decision } from '../../../../src/runs/accept/accept-runs.ts'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'
import { newOwner } from '../../../helpers/owner.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { userIdOf } from '../../../helpers/workspaces.ts'

/** The most unfinished runs in these tests. */
export const depth = 3

type Terms = Partial<Parameters<typeof acceptRuns>[2]>

interface Queue {
  lastSequence: number
  unfinished: number
  awake: boolean
  blockedCause: string | null
}

/** Webhook agents of one owner, and requests for their runs that go directly to the database. */
export function acceptingForFile(test: TestFn) {
  const platformOf = sharedPlatform(test, 'idle')
  return async (t: ExecutionContext) => {
    const { database } = (await platformOf()).services
    const owner = await newOwner(t, await platformOf(), 'team')
    const ownerId = await userIdOf(owner)
    const now = new Date()

    const queues = (agentId: string) => database<Queue & { agentId: string }>('agent_queues').where({ agentId })

    /** An agent whose queue has this state: by default seven runs so far, all of which have ended. */
    async function agentWith(queue: Partial<Queue> = {}) {
      const { id } = await owner.webhookAgent()
      const blocked = queue.blockedCause ? { blockedSince: now } : {}
      await queues(id).update({ lastSequence: 7, ...queue, ...blocked })
      const request = (fields: Partial<AcceptRequest> = {}): AcceptRequest => ({
        agentId: id,
        trigger: 'webhook',
        requestId: newId(),
        ...fields,
      })
      const queueOf = () => queues(id).first('lastSequence', 'unfinished', 'awake', 'blockedCause')
      const runsOf = () => database('runs').where({ agentId: id }).orderBy('sequence')
      return { id, request, queueOf, runsOf }
    }

    const accept = (requests: AcceptRequest[], terms: Terms = {}, db: Parameters<typeof acceptRuns>[0] = database) =>
      acceptRuns(db, requests, { now, due: later(now, 60), depth, waits: false, ...terms })

    /** What each request became, in words. */
    const outcomes = async (requests: AcceptRequest[], terms?: Terms) =>
      (await accept(requests, terms)).decisions.map(inWords)

    return { database, owner, ownerId, agentWith, accept, outcomes }
  }
}

/** What deliveries to the agent are judged by now. */
export async function versionOf(database: Database, agentId: string): Promise<string> {
  const { rows } = await database.raw<{ rows: { version: string }[] }>(
    'select version from delivery_versions(array[?]::uuid[], now())',
    [agentId],
  )
  return rows[0]?.version ?? ''
}

export const errorOf = (decision: Decision | undefined) =>
  typeof decision === 'object' && 'error' in decision ? decision.error : undefined

export const receiptOf = (decision: Decision | undefined) =>
  typeof decision === 'object' && 'receipt' in decision ? decision.receipt : undefined

/** For example `new: queued 8, behind 1`, an error's code, or `locked`. */
function inWords(decision: Decision): string {
  if (typeof decision === 'string') return decision
  if ('error' in decision) return decision.error.code
  const { status, sequence, ahead } = decision.receipt
  return `${isNew(decision) ? 'new' : 'repeated'}: ${status} ${sequence}, behind ${ahead}`
}
