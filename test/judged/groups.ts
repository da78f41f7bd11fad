import * as adminCredits from '../../api/admin-credits.ts'
import * as adminUsers from '../../api/admin-users.ts'
import { call } from '../helpers/client.ts'
import { customer, person, type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { limitsWith, type Kind } from './account-changes.ts'
import { addAgent, pause } from './agent-changes.ts'
import type { Book, Group } from './book.ts'
import { newAccount } from './states.ts'

/** The agents of an account: its own ones and those of its workspace. */
const agentsEach = 5

/** An account of the tier team, bought or given, with its agents. Most are paused, so that the worker keeps up. */
export async function makeGroup(
  { platform, url, boss, book }: { platform: Platform; url: string; boss: Person; book: Book },
  kind: Kind,
): Promise<Group> {
  const someone = { ...(await (kind === 'given' ? person(platform) : customer(platform, 'team'))), url }
  const params = { userId: await userIdOf(someone) }
  const body = { limits: limitsWith(null), ...(kind === 'given' && { tier: 'team' as const }) }
  await call(boss, adminUsers.giveTier, { params, body }).then((answer) => answer.body)
  await call(boss, adminCredits.giveCredits, { params, body: { credits: 1_000_000, note: 'A test.' } })
  const account = newAccount(
    kind === 'given' ? { paidTier: 'free', givenTier: 'team' } : { paidTier: 'team', givenTier: 'free' },
  )
  const { id: workspaceId } = await workspaceOf(someone)
  const group: Group = { ...params, someone, workspaceId, account, agents: [], aheadMs: 0 }
  for (const isShared of [false, true])
    for (let at = 0; at < agentsEach; at += 1) await addAgent({ book, group }, { isShared, isQuiet: at === 0 })
  for (const agent of group.agents) if (!agent.isQuiet) await pause({ book, group, agent })
  return group
}
