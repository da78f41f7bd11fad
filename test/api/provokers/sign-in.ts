import * as signIn from '../../../api/sign-in.ts'
import * as browser from '../../../api/sign-in-browser.ts'
import * as workspaceSignIn from '../../../api/workspace-sign-in.ts'
import { newId } from '../../../src/ids.ts'
import { Identity } from '../../../src/sign-in/identity.ts'
import { sentBack, type Deviation } from '../../helpers/bare-identity-provider.ts'
import { call } from '../../helpers/client.ts'
import { customer } from '../../helpers/people.ts'
import { nameProvider } from '../../helpers/sign-ins.ts'
import { userIdOf, verified, workspaceOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import { validBodies, type Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function signInTable({ platform, owner, nobody, sites, lapsed, params }: Stage, { ask }: Recorder): Table {
  const { idp } = sites
  const { database, signIn: service } = platform.services
  const json = { accept: 'application/json' }
  const of = { providerId: 'oidc' }
  const start = (providerId = 'oidc', query = {}) =>
    ask(nobody, browser.startSignIn, { params: { providerId }, query, headers: json })
  const link = (provider: string, by = owner, currentPassword = by.password) =>
    ask(by, signIn.linkIdentity, { body: { provider, currentPassword } })
  const go = (ticket: string) => ask(nobody, browser.goToProvider, { query: { ticket }, headers: json })
  const ticketOf = async (by = verified(platform)) => {
    const someone = await by
    const body = { provider: 'oidc', currentPassword: someone.password }
    const { linkUrl } = (await call(someone, signIn.linkIdentity, { body })).body
    return new URL(linkUrl).searchParams.get('ticket') ?? ''
  }

  /** What comes of it while the provider deviates so. */
  async function deviating<T>(deviation: Deviation, work: () => Promise<T>): Promise<T> {
    service.forget()
    idp.deviation = deviation
    return work().finally(() => {
      idp.deviation = {}
      service.forget()
    })
  }

  /** Comes back from the provider in the browser that was sent there. */
  async function finish(begun: Awaited<ReturnType<typeof start>>, user: string) {
    const back = sentBack(idp, begun.headers.get('location') ?? '', user)
    const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    return ask(nobody, browser.finishSignIn, {
      params: of,
      query: Object.fromEntries(back.searchParams),
      headers: { ...json, cookie },
    })
  }

  /** Somebody who has as many providers as one may have. */
  async function fullOf() {
    const someone = await verified(platform)
    const userId = await userIdOf(someone)
    const row = {
      userId,
      provider: 'oidc',
      workspaceProviderId: null,
      issuer: 'https://x.example',
      linkedAt: new Date(),
    }
    for (let count = 0; count < 20; count += 1)
      await Identity.query(database).insert({ ...row, id: newId(), subject: newId() })
    return someone
  }

  const down: Deviation = {
    answers: { '/.well-known/openid-configuration': (_request, response) => response.destroy() },
  }
  const wrong: Deviation = { document: { issuer: 'https://another.example' } }
  const ofOwner = { params: { workspaceId: params['workspaceId'] ?? '' } }
  const body = validBodies(sites)['setWorkspaceSignIn'] as { issuer: string; clientId: string; clientSecret: string }
  const set = (issuer: string) =>
    ask(owner, workspaceSignIn.setWorkspaceSignIn, { ...ofOwner, body: { ...body, issuer } })

  return {
    listSignInProviders: { done: () => ask(nobody, signIn.listSignInProviders) },
    linkIdentity: {
      done: async () => link('oidc', await verified(platform)),
      NOT_FOUND: () => link('nothing'),
      UNAUTHORIZED: async () => link('oidc', await verified(platform), 'not the password'),
      async WORKSPACE_REQUIRED() {
        const { payer, params: theirs } = await lapsed()
        const workspaceId = theirs['workspaceId'] ?? ''
        const row = { id: newId(), workspaceId, issuer: idp.origin, clientId: 'us', createdAt: new Date() }
        const place = { id: row.id, column: 'workspace_providers.client_secret' }
        const clientSecret = platform.services.sealing.seal('a secret', place)
        await database('workspace_providers').insert({ ...row, clientSecret })
        return link(workspaceId, payer)
      },
    },
    listIdentities: { done: () => ask(owner, signIn.listIdentities) },
    unlinkIdentity: {
      async done() {
        const someone = await fullOf()
        const [identity] = (await call(someone, signIn.listIdentities)).body.items
        return ask(someone, signIn.unlinkIdentity, { params: { identityId: identity?.id ?? '' } })
      },
    },
    startSignIn: {
      done: () => start(),
      VALIDATION_ERROR: () => start('oidc', { returnTo: 'https://evil.example' }),
      NOT_FOUND: () => start('nothing'),
      SITE_UNAVAILABLE: () => deviating(down, () => start()),
      PERMISSION_DENIED: () => deviating(wrong, () => start()),
    },
    goToProvider: {
      done: async () => go(await ticketOf()),
      async VALIDATION_ERROR() {
        const ticket = await ticketOf()
        await go(ticket)
        return go(ticket)
      },
      NOT_FOUND: () => go(`sy_ticket_${'a'.repeat(43)}`),
      SITE_UNAVAILABLE: async () => deviating(down, async () => go(await ticketOf())),
      PERMISSION_DENIED: async () => deviating(wrong, async () => go(await ticketOf())),
    },
    finishSignIn: {
      async done() {
        const claims = { email: `${newId()}@example.com`, email_verified: true }
        return deviating({ claims }, async () => finish(await start(), newId()))
      },
      VALIDATION_ERROR: () => ask(nobody, browser.finishSignIn, { params: of, query: { state: 'a' }, headers: json }),
      PERMISSION_DENIED: async () => finish(await start(), newId()),
      async SITE_UNAVAILABLE() {
        const begun = await start()
        const answers: Deviation['answers'] = { '/token': (_request, response) => response.destroy() }
        return deviating({ answers }, () => finish(begun, newId()))
      },
      async NOT_FOUND() {
        const begun = await start()
        const back = sentBack(idp, begun.headers.get('location') ?? '', newId())
        const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
        // As if the operator had removed it meanwhile.
        await database('sign_in_flows').whereNull('endedAt').update({ provider: 'gone' })
        const query = Object.fromEntries(back.searchParams)
        return ask(nobody, browser.finishSignIn, {
          params: { providerId: 'gone' },
          query,
          headers: { ...json, cookie },
        })
      },
      FEATURE_LIMIT_REACHED: async () => finish(await go(await ticketOf(fullOf())), newId()),
    },
    getWorkspaceSignIn: { done: () => ask(owner, workspaceSignIn.getWorkspaceSignIn, ofOwner) },
    setWorkspaceSignIn: {
      done: () => set(idp.origin),
      INVALID_URL: () => set('http://idp.example.com'),
      SITE_UNAVAILABLE: () => set(sites.deadOrigin),
    },
    removeWorkspaceSignIn: {
      async done() {
        const someone = await customer(platform, 'team')
        const { id: workspaceId } = await workspaceOf(someone)
        await nameProvider(someone, workspaceId, idp.origin)
        return ask(someone, workspaceSignIn.removeWorkspaceSignIn, { params: { workspaceId } })
      },
      async NOT_FOUND() {
        const someone = await customer(platform, 'team')
        const { id: workspaceId } = await workspaceOf(someone)
        return ask(someone, workspaceSignIn.removeWorkspaceSignIn, { params: { workspaceId } })
      },
    },
  }
}
