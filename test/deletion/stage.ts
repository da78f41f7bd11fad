import type { ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import { startLoops } from '../../src/loops.ts'
import { startBareIdentityProvider } from '../helpers/bare-identity-provider.ts'
import { startBareOAuthSite } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { environmentOf } from '../helpers/sign-ins.ts'
import { startSites } from '../helpers/sites.ts'

/** A platform with a worker whose loops are quick, and sites of all kinds. */
export async function openStage(t: ExecutionContext, { worker = true, env = {} } = {}) {
  const [oauth, idp] = [await startBareOAuthSite(t), await startBareIdentityProvider(t)]
  const sites = { ...(await startSites(t)), oauth, idp }
  const allow = [...sites.allow, oauth.host, idp.host]
  const quick = { RECONCILE_SECONDS: '1', CANCEL_SECONDS: '3', ...environmentOf(idp), ...env }
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
