import * as v from 'valibot'
import type { Scope } from '../src/sites/tool.ts'
import type { OAuthFlow } from '../src/vault/oauth-flow.ts'
import type { BrowserAnswer } from './browser.ts'
import { route, type RequestFacts } from './route.ts'
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
    description: 'Tools to be usable; only the scopes they need are asked for. Without it all of a new site',
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
    'Open `connectUrl` in the browser of the person who has the account at the site. Name a `url` to connect a new site, or an `entryId` to renew or widen what was granted; without `tools` what was granted is asked for again. The address is good for ten minutes, in one browser.',
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
  limit: 'address',
  browser: true,
  name: 'goToSite',
  method: 'get',
  path: `${folder}/go`,
  summary: "Go on to the site's sign-in (for browsers)",
  description:
    'Shows a person whose vault the site will be connected to; `confirmed` goes on at once, and so does it for clients that do not ask for HTML. Sets a cookie that binds what follows to this browser, and redirects to the site.',
  query: v.looseObject({ ticket: text(100), confirmed: v.optional(v.string()) }),
  status: 303,
  codes: ['VALIDATION_ERROR', 'NOT_FOUND'],
  async handle({ services, query, request }): Promise<BrowserAnswer> {
    if (request.wantsPage && query.confirmed === undefined) {
      const page = confirmation(await services.vault.flows.preview(query.ticket), query.ticket)
      return { page, content: {} }
    }
    const { location, id: flowId, binding } = await services.vault.flows.go(query.ticket, cookieOf(request))
    return { location, cookie: { name: cookieName(flowId), value: binding, path: folder, maxAgeSeconds: 600 } }
  },
})

/**
 * Whoever is sent this address by somebody else would connect an account of their own to a vault of another's, so they
 * are told whose it is.
 */
function confirmation(flow: { owner: string; site: string; origin: string; scopes: Scope[] }, ticket: string) {
  return {
    title: `Connect ${flow.site}?`,
    text: [
      `${flow.origin} will be connected to the vault of ${flow.owner}. Agents of that account may then, in your name: ${sentence(flow.scopes)}.`,
      'Go on only if this account is yours. You sign in at the site itself; your password stays there.',
    ],
    good: true,
    action: { href: `${folder}/go?ticket=${encodeURIComponent(ticket)}&confirmed=yes`, label: `Go on to ${flow.site}` },
  }
}

export const finishOAuth = route({
  tag: 'vault',
  access: 'anyone',
  limit: 'address',
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
