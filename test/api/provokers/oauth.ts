import type { RequestListener } from 'node:http'
import * as oauth from '../../../api/oauth.ts'
import * as oauthBrowser from '../../../api/oauth-browser.ts'
import * as vault from '../../../api/vault.ts'
import * as refreshes from '../../../api/refreshes.ts'
import { newId } from '../../../src/ids.ts'
import { call } from '../../helpers/client.ts'
import { person, type Person } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

type Target = { url: string } | { entryId: string }

export function oauthTable({ platform, sites, origins, owner, nobody, params }: Stage, { ask }: Recorder): Table {
  const { oauth: site } = sites
  const here = { url: site.origin }
  const start = (target: Target, someone = owner) => ask(someone, oauth.startOAuth, { body: target })
  const go = (ticket: string) =>
    ask(nobody, oauthBrowser.goToSite, { query: { ticket }, headers: { accept: 'application/json' } })

  /** Begins a flow in a browser of its own: what the browser then carries. */
  async function begin(someone: Person, target: Target = here) {
    const { connectUrl } = (await start(target, someone)).body
    const { headers } = await go(new URL(connectUrl).searchParams.get('ticket') ?? '')
    const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? ''
    return { state, cookie: headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' }
  }

  /** Comes back from the site with a code, or with what is told otherwise. */
  const back = (attempt: Awaited<ReturnType<typeof begin>>, query: Record<string, string> = { code: 'a-code' }) =>
    ask(nobody, oauthBrowser.finishOAuth, {
      query: { ...query, state: attempt.state },
      headers: { cookie: attempt.cookie },
    })

  const finish = async (query?: Record<string, string>) => back(await begin(await person(platform)), query)

  /** What comes of it while the token address answers so. */
  async function answered<T>(token: RequestListener, work: () => Promise<T>): Promise<T> {
    const { token: good } = site
    site.token = token
    return work().finally(() => (site.token = good))
  }

  /** Somebody whose vault holds as much as it may after these. */
  async function fill(someone: Person): Promise<void> {
    const body = { token: 'any-token' }
    for (const url of [sites.tracker.origin, ...origins])
      await call(someone, vault.addToVault, { body: { ...body, url } })
  }

  async function connected() {
    const someone = await person(platform)
    const { body } = await back(await begin(someone))
    return { someone, entryId: String(body.entryId) }
  }

  return {
    startOAuth: {
      done: () => start(here),
      NOT_FOUND: () => start({ entryId: newId() }),
      INVALID_URL: () => start({ url: 'tracker.example.com' }),
      MANIFEST_NOT_FOUND: () => start({ url: sites.deadOrigin }),
      MANIFEST_INVALID: () => start({ url: sites.brokenManifest.origin }),
      async TOKEN_EXISTS() {
        const { someone } = await connected()
        return start(here, someone)
      },
      async VAULT_LIMIT_REACHED() {
        const someone = await person(platform)
        await fill(someone)
        return start(here, someone)
      },
    },
    getOAuthFlow: { done: () => ask(owner, oauth.getOAuthFlow, { params: { flowId: params['flowId'] ?? '' } }) },
    goToSite: {
      async done() {
        const { connectUrl } = (await start(here)).body
        return go(new URL(connectUrl).searchParams.get('ticket') ?? '')
      },
      NOT_FOUND: () => go(`sy_ticket_${'a'.repeat(43)}`),
    },
    finishOAuth: {
      done: () => finish(),
      PERMISSION_DENIED: () => finish({ error: 'access_denied' }),
      SITE_UNAVAILABLE: () => answered((_request, response) => void response.socket?.destroy(), finish),
      TOOL_EXECUTION_ERROR: () => answered((_request, response) => void response.writeHead(500).end(), finish),
      async TOKEN_EXISTS() {
        const someone = await person(platform)
        const [first, second] = [await begin(someone), await begin(someone)]
        await back(first)
        return back(second)
      },
      async VAULT_LIMIT_REACHED() {
        const someone = await person(platform)
        const attempt = await begin(someone)
        await fill(someone)
        return back(attempt)
      },
      async NOT_FOUND() {
        const { someone, entryId } = await connected()
        const attempt = await begin(someone, { entryId })
        const remove = () => call(someone, vault.removeFromVault, { params: { entryId } })
        const { token: good } = site
        // The entry goes while the code is on its way.
        return answered(
          (request, response) => void remove().then(() => good(request, response)),
          () => back(attempt),
        )
      },
    },
    listRefreshes: {
      done: () => ask(owner, refreshes.listRefreshes, { params: { entryId: params['entryId'] ?? '' } }),
    },
  }
}
