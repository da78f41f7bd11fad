import { agentPage } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import { quotedName } from '../names.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { utc } from '../notifications/plain-text.ts'
import type { Refusals, RefusalsOfDeliveries } from '../webhooks/refusals.ts'
import { longestGap, windowDays, type Habit } from './habit.ts'

export interface SilentAgent {
  agentId: string
  ownerId: string
  name: string
}

/** Notifies an owner once per silence, and says whether deliveries came and were refused. */
export async function notifySilent(
  trx: Transaction,
  { notifications, refusals }: { notifications: Notifications; refusals: Pick<RefusalsOfDeliveries, 'of'> },
  { agentId, ownerId, name }: SilentAgent,
  habit: Pick<Habit, 'lastAt' | 'gaps'>,
): Promise<void> {
  const { lastAt } = habit
  await notifications.notify(trx, {
    ownerId,
    kind: 'agent_silent',
    subjectId: agentId,
    key: lastAt.toISOString(),
    consolePage: agentPage(agentId),
    title: `The usual deliveries do not come: agent ${quotedName(name)}`,
    message: [
      `The agent ${quotedName(name)} has accepted no delivery since ${utc(lastAt)}. In the ${windowDays} days before, the longest time between two deliveries was ${durationInWords(longestGap(habit))}.`,
      ...refusedSince(await refusals.of(agentId, trx), agentId, lastAt),
      `You will be notified again only after a delivery has arrived. To turn this off for the agent, set watchSilence to false with PATCH /agents/${agentId}.`,
    ],
  })
}

/** What is known of deliveries that came and were refused. */
function refusedSince({ items, proofFailures }: Refusals, agentId: string, since: Date): string[] {
  const later = items.filter(({ at }) => new Date(at) > since)
  const [last] = later
  const count = later.reduce((sum, { others }) => sum + 1 + others, 0)
  const refused = last
    ? `Deliveries came and were refused: at least ${count}, the last one at ${utc(new Date(last.at))} with ${last.code}: ${last.message} To see them, use GET /agents/${agentId}/refused-deliveries.`
    : undefined
  const isUnproved = proofFailures !== null && new Date(proofFailures.lastAt) > since
  const unproved = isUnproved
    ? `A request without a valid secret or signature was refused at ${utc(new Date(proofFailures.lastAt))}, so the sender may have the wrong secret.`
    : undefined
  const lines = [refused, unproved].filter((line) => line !== undefined)
  return lines.length > 0 ? lines : ['No delivery was refused since then, so check whether the sender still sends.']
}

/** In the largest unit of which there are two, rounded: `3 hours`. */
function durationInWords(seconds: number): string {
  const [unit, size] = units.find(([, one]) => seconds >= 2 * one) ?? (['second', 1] as const)
  const count = Math.round(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
