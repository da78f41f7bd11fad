import type { Transaction } from '../database/database.ts'
import { consoleHome } from '../console-pages.ts'
import { quotedName } from '../names.ts'
import { counted } from '../needs/need.ts'
import type { NewNotification, Notifications } from '../notifications/notifications.ts'
import { utcTime } from '../why/cause.ts'
import type { Restore } from './restore.ts'

/** Owners that are read at a time. */
const batch = 500

/** Agents that a notification names. */
const mostNamed = 50

interface Waiting {
  name: string
  runs: number
}

/** How many answers of each owner were cut short, and whose automatic purchases are off now. */
interface Lost {
  answers: Map<string, number>
  buyers: Set<string>
}

interface Owner {
  ownerId: string
  count: number
  waiting: Waiting[]
}

/**
 * Notifies every owner of agents, or of answers that were cut short, once. The platform cannot know what happened in
 * the lost time, so it says what may have.
 */
export async function tellOwners(
  trx: Transaction,
  notifications: Pick<Notifications, 'notify'>,
  { restore, answers, buyers }: Lost & { restore: Restore },
): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  const others = [...answers.keys(), ...buyers]
  for (;;) {
    const owners = await next(trx, { after, others })
    if (owners.length === 0) return
    for (const owner of owners) {
      const { ownerId } = owner
      await notifications.notify(
        trx,
        notificationOf(owner, restore, { answers: answers.get(ownerId) ?? 0, buys: buyers.has(ownerId) }),
      )
    }
    after = owners.at(-1)?.ownerId ?? after
  }
}

async function next(trx: Transaction, from: { after: string; others: string[] }): Promise<Owner[]> {
  const bindings = { ...from, batch, mostNamed }
  return (await trx.raw<{ rows: Owner[] }>(ownersStatement, bindings)).rows
}

function notificationOf(
  { ownerId, count, waiting }: Owner,
  restore: Restore,
  { answers, buys }: { answers: number; buys: boolean },
): NewNotification {
  const { id, asOf, restoredAt } = restore
  const named = waiting.map(({ name, runs }) => `${quotedName(name)} (${counted(runs, 'unfinished run')})`)
  const others = count > named.length ? ` and ${counted(count - named.length, 'other agent')}` : ''
  return {
    ownerId,
    kind: 'restored',
    subjectId: id,
    key: id,
    consolePage: `${consoleHome}/agents`,
    title: count > 0 ? `The platform was restored: ${counted(count, 'agent')} paused` : 'The platform was restored',
    message: [
      `On ${utcTime(restoredAt)}, the platform was restored from a backup of ${utcTime(asOf)}. What happened in between is no longer on record, but it was not undone elsewhere: runs may have finished, tool calls may have been made, and deliveries may have been accepted.`,
      ...(count > 0
        ? [
            `These agents had unfinished runs and are paused: ${named.join(', ')}${others}. Check at the sites what their runs have done. Cancel each run that must not be repeated, then resume the agent.`,
          ]
        : []),
      ...(answers > 0
        ? [`${counted(answers, 'chat answer')} under way ended. Check what was done, and ask again.`]
        : []),
      ...(buys
        ? [
            'Credits are no longer bought automatically. Compare your purchases with your balance, then turn this on again.',
          ]
        : []),
      'Changes that you made in between are undone: agents, connections, keys, members and revocations. Sites may ask to be reconnected. Scheduled runs of that time are not started later.',
    ],
  }
}

const ownersStatement = `
  select o.owner_id as "ownerId", coalesce(w.count, 0)::int as count, coalesce(w.waiting, '[]') as waiting
    from (select owner_id from (
            select owner_id from agents where deleted_at is null and owner_id > :after
            union select id from unnest(:others::uuid[]) as t (id) where id > :after
          ) every order by owner_id limit :batch) o
    left join lateral (
      select count(*) as count,
             (select json_agg(json_build_object('name', n.name, 'runs', n.unfinished))
                from (select a.name, q.unfinished from agents a join agent_queues q on q.agent_id = a.id
                       where a.owner_id = o.owner_id and a.deleted_at is null and q.unfinished > 0
                       order by a.id limit :mostNamed) n) as waiting
        from agents a join agent_queues q on q.agent_id = a.id
       where a.owner_id = o.owner_id and a.deleted_at is null and q.unfinished > 0) w on true
   order by 1`
