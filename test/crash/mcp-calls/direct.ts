import { setTimeout as delay } from 'node:timers/promises'
import * as calls from '../../../api/calls.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import type { Person } from '../../helpers/people.ts'
import type { Outcome } from './outcome.ts'
import type { PlannedCall } from './plan.ts'

/** Somebody's entry for each server. */
export type Entries = Record<PlannedCall['server'], string>

const tryOnce = (someone: Person, entries: Entries, planned: PlannedCall) =>
  call(someone, vault.callTool, {
    params: { entryId: entries[planned.server], toolName: planned.tool },
    body: planned.arguments,
    headers: { 'idempotency-key': planned.mark },
  }).catch(() => undefined)

/** Makes the call under its mark as key. Returns its id, or undefined if the API died before it answered. */
export async function callDirectly(someone: Person, entries: Entries, planned: PlannedCall) {
  const answer = await tryOnce(someone, entries, planned)
  if (answer?.status === 200) return answer.body.callId
  return (answer?.failure as { callId?: string } | undefined)?.callId
}

/** A call that was tried, and its id if the API lived long enough to say it. */
interface Called {
  planned: PlannedCall
  callId: string | undefined
}

/** Repeats the request until it is answered, as clients do with a key, and looks the call up until it has ended. */
export async function settle(someone: Person, entries: Entries, { planned, callId: known }: Called): Promise<Outcome> {
  let callId = known
  for (; callId === undefined; callId = await callDirectly(someone, entries, planned)) await delay(300)
  const params = { entryId: entries[planned.server], callId }
  const status = await eventually(300, `the call ${planned.mark} has an outcome`, async () => {
    const { body } = await call(someone, calls.getCall, { params })
    return body.status === 'planned' || body.status === 'started' ? undefined : body.status
  })
  return { mark: planned.mark, status, at: `/vault/${params.entryId}/calls/${callId}` }
}
