import * as v from 'valibot'
import type { Scope } from '../src/sites/tool.ts'
import type { OAuthFlow } from '../src/vault/oauth/oauth-flow.ts'
import type { BrowserAnswer } from './browser.ts'
import type { RequestFacts } from './request-facts.ts'
import { route } from './route.ts'
import { id, text, time } from './schemas.ts'
import { acceptHosts, scope } from './vault-schema.ts'

const flow = v.object({
  id,
  status: v.picklist(['pending', 'connected', 'failed', 'expired']),
  origin: v.string(),
  scopes: v.array(scope),
  entryId: v.pipe(v.nullable(id), v.metadata({ description: 'The vault entry, as soon as there is one' })),
  code: v.pipe(v.nullable(v.string()), v.metadata({ description: 'Why it failed' })),
  message: v.nullable(v.string()),
  expiresAt: time,
})

function presentFlow({ id, origin, scopes, entryId, code, message, expiresAt, ...row }: OAuthFlow, now: Date) {
  const over = row.endedAt === null && expiresAt < now
  const status = over ? 'expired' : row.status === 'exchanging' ? 'pending' : row.status
  return { id, status, origin, scopes, entryId, code, message, expiresAt }
}

/** The scopes as people understand them. */
const inWords = {
  read: 'search and read',
  write: 'create and change things',
  delete: 'delete things',
  admin: 'manage users and settings',
} as const

const sentence = (scopes: readonly Scope[]): string => scopes.map((one) => inWords[one]).join('; ') || 'nothing yet'

const folder = '/vault/oauth'
const cookieName = (flowId: string): string => `switchyard_connect_${flowId}`
const cookieOf = (request: RequestFacts) => (flowId: string) => request.cookie(cookieName(flowId))

const chosen = v.pipe(
  v.optional(v.pipe(v.array(text(64)), v.maxLength(200))),
  v.metadata({
    description:
      'Tools to be usable; only the scopes they need are asked for, besides those granted already. Without it all of a new site',
  }),
)

export const startOAuth = route({
  tag: 'vault',
  access: 'account',
  name: 'startOAuth',
  method: 'post',
  path: `${folder}/start`,
  summary: 'Begin to connect a site by OAuth, or to authorise an entry again',
  description:
    'Open `connectUrl` in the browser of the person who has the account at the site. Name a `url` to connect a new site, or an `entryId` to renew or widen what was granted; what was granted is asked for again in any case, and with `tools` what those need besides. The address is good for ten minutes, in one browser.',
  body: v.union(
    [
      v.strictObject({ url: text(2048), tools: chosen, acceptHosts }),
      v.strictObject({ entryId: text(64), tools: chosen, acceptHosts }),
    ],
    'must name either a "url" or an "entryId", and may have "tools" and "acceptHosts"',
  ),
  status: 201,
  response: v.object({
    id,
    connectUrl: v.string(),
    expiresAt: time,
    scopes: v.array(scope),
    unusableTools: v.pipe(
      v.array(v.string()),
      v.metadata({ description: 'Chosen tools that need a scope which the site does not offer' }),
    ),
  }),
  codes: ['NOT_FOUND', 'INVALID_URL', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID', 'VAULT_LIMIT_REACHED', 'TOKEN_EXISTS'],
  async handle({ services, caller: { userId: ownerId }, body }) {
    const { tools, acceptHosts: accepted } = body
    const target = 'url' in body ? { url: body.url } : { entry: await services.vault.get(ownerId, body.entryId) }
    return services.vault.flows.start({ ownerId, target, tools, acceptHosts: accepted })
  },
})

export const getOAuthFlow = route({
  tag: 'vault',
  access: 'account',
  name: 'getOAuthFlow',
  method: 'get',
  path: `${folder}/flows/{flowId}`,
  summary: 'How far connecting a site has come',
  status: 200,
  response: flow,
  resource: ({ services, caller, params }) => services.vault.flows.get(caller.userId, params.flowId),
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => presentFlow(resource, services.clock.now()),
})

export const goToSite = route({
  tag: 'vault',
  access: 'anyone',
  limit: 'browser',
  browser: true,
  name: 'goToSite',
  method: 'get',
  path: `${folder}/go`,
  summary: "Go on to the site's sign-in (for browsers)",
  description:
    'Shows a person whose vault the site will be connected to. The link of that page, good in the browser that the page was shown in, redirects to the site and binds what follows to that browser. Clients that ask for `application/json` are redirected at once.',
  query: v.looseObject({
    ticket: text(100),
    seen: v.pipe(v.optional(v.string()), v.metadata({ description: 'From the link of the page' })),
  }),
  status: 303,
  codes: ['VALIDATION_ERROR', 'NOT_FOUND'],
  async handle({ services, query: { ticket, seen }, request }): Promise<BrowserAnswer> {
    const { flows } = services.vault
    const opened = await flows.open(ticket, cookieOf(request))
    const cookie = { name: cookieName(opened.flow.id), value: opened.binding, path: folder, maxAgeSeconds: 600 }
    if (request.asksForJson || seen === opened.seen) return { location: await flows.go(opened), cookie }
    const link = `${folder}/go?${new URLSearchParams({ ticket, seen: opened.seen }).toString()}`
    return { page: confirmation(await flows.preview(opened), link, seen !== undefined), cookie }
  },
})

/**
 * Whoever is sent this address by somebody else would connect an account of their own to a vault of another's, so they
 * are told whose it is. `again` where a link did not belong to this browser: it may take no cookies, or be a second tab.
 */
function confirmation(
  flow: { owner: string; site: string; origin: string; scopes: Scope[] },
  link: string,
  again: boolean,
) {
  return {
    title: `Connect ${flow.site}?`,
    text: [
      `${flow.origin} will be connected to the vault of ${flow.owner}. Agents of that account may then, in your name: ${sentence(flow.scopes)}.`,
      'Go on only if this account is yours. You sign in at the site itself; your password stays there.',
      ...(again ? ['If this page comes again and again, let your browser keep cookies of this address.'] : []),
    ],
    good: true,
    action: { href: link, label: `Go on to ${flow.site}` },
  }
}

export const finishOAuth = route({
  tag: 'vault',
  access: 'anyone',
  limit: 'browser',
  browser: true,
  name: 'finishOAuth',
  method: 'get',
  path: `${folder}/callback`,
  summary: 'Come back from the site (for browsers)',
  description:
    'The redirect URI of the platform. Answers with a page for people, or with JSON for clients that prefer it.',
  query: v.looseObject({}),
  status: 200,
  response: flow,
  codes: [
    'VALIDATION_ERROR',
    'PERMISSION_DENIED',
    'SITE_UNAVAILABLE',
    'TOOL_EXECUTION_ERROR',
    'TOKEN_EXISTS',
    'VAULT_LIMIT_REACHED',
    'NOT_FOUND',
  ],
  async handle({ services, request }): Promise<BrowserAnswer> {
    const parameters = new URLSearchParams(request.search)
    const { flow: finished, entry } = await services.vault.callback.finish({ parameters, bindingOf: cookieOf(request) })
    const page = {
      title: `${entry.name} is connected`,
      text: [`Your agents may now, at ${entry.origin}: ${sentence(entry.scopes ?? [])}.`, 'You can close this window.'],
      good: true,
    }
    return { page, content: presentFlow(finished, services.clock.now()) }
  },
})
