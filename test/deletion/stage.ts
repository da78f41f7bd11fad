import type { ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import { startLoops } from '../../src/loops.ts'
import { startBareOAuthSite } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'

/** A platform with a worker whose loops are quick, and sites of all kinds. */
export async function openStage(t: ExecutionContext, { worker = true, env = {} } = {}) {
  const sites = { ...(await startSites(t)), oauth: await startBareOAuthSite(t) }
  const allow = [...sites.allow, sites.oauth.host]
  const quick = { RECONCILE_SECONDS: '1', CANCEL_SECONDS: '3', ...env }
  const platform = await startPlatform(t, { sites: { ...sites, allow }, worker, env: quick })
  if (worker) {
    const loops = startLoops(platform.services, 'everywhere')
    t.teardown(() => Promise.all(loops.map((loop) => loop.stop())))
  }
  return { platform, sites }
}

/** Asks for the deletion of an account. */
export const leave = (someone: Person, password = someone.password) =>
  call(someone, auth.deleteAccount, { body: { password } })

/** The time of grace is over for an account. */
export const graceIsOver = async ({ services }: Platform, ownerId: string): Promise<void> =>
  void (await services
    .database('deletions')
    .where({ ownerId })
    .update({ dueAt: new Date(Date.now() - 1000), nextAt: new Date(Date.now() - 1000) }))

/** Waits until everything of the owner is deleted. */
export const emptied = ({ services }: Platform, ownerId: string, seconds = 60) =>
  eventually(seconds, `the owner ${ownerId} is deleted`, async () => {
    const row = (await services.database('deletions').where({ ownerId }).first()) as { emptiedAt: Date | null }
    return row.emptiedAt ?? undefined
  })
