import * as v from 'valibot'
import { quotedName } from '../src/names.ts'
import { scopesInWords } from '../src/sites/scope-words.ts'
import type { Scope } from '../src/sites/tool.ts'
import type { Services } from '../src/services.ts'
import type { FlowPreview } from '../src/vault/oauth/flows.ts'
import { assertIssuerKey } from '../src/vault/oauth/redirect-uris.ts'
import type { BrowserAnswer } from './browser/browser-answer.ts'
import { flow, folder, presentFlow } from './schemas/oauth-schema.ts'
import { clientOf, type RequestFacts } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { field } from './schemas/documented.ts'
import { withParameter } from './schemas/local-path.ts'
import { text } from './schemas/schemas.ts'

const inWords = {
  read: 'search and read',
  write: 'create and change things',
  delete: 'delete things',
  admin: 'manage users and settings',
} as const

/** What was requested or granted. The words of a foreign authorization server are quoted, because only it knows them. */
function sentence(scopes: readonly Scope[] | null, foreign: readonly string[] | null): string {
  if (foreign) return foreign.length === 0 ? 'use its tools' : `use its tools, with ${scopesInWords(foreign)}`
  return scopes?.map((one) => inWords[one]).join(', ') || 'nothing yet'
}

const cookieName = (flowId: string): string => `switchyard_connect_${flowId}`
const cookieOf = (request: RequestFacts) => (flowId: string) => request.cookie(cookieName(flowId))

const shared = { tag: 'vault', access: 'anyone', limit: 'browser', browser: true, method: 'get' } as const

export const goToSite = route({
  ...shared,
  name: 'goToSite',
  path: `${folder}/go`,
  summary: "Continue to a site's sign-in page",
  description:
    'For browsers. Shows a page that names the vault that the site will be connected to. The link on the page works only in the same browser and redirects to the site. Clients that request `application/json` are redirected ' +
    'immediately.',
  query: v.looseObject({
    ticket: field(text(100), 'Ticket in `connectUrl`'),
    seen: v.optional(field(v.string(), 'Proof that the page was shown: the value of `seen` in its link')),
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
 * Names the vault's owner and the requester: a person who got this address from an attacker would otherwise connect
 * their own account to the attacker's vault. `again`: the link did not belong to this browser, which may refuse
 * cookies or have a second tab.
 */
function confirmation(flow: FlowPreview, link: string, again: boolean) {
  const { origin, owner, asker, isOwn } = flow
  const site = quotedName(flow.site)
  return {
    title: `Connect ${site}?`,
    text: [
      `${origin} will be connected to the vault of ${owner}. Agents that use this vault can then do the following at the site on your behalf: ${sentence(flow.scopes, flow.foreignScopes)}.`,
      isOwn
        ? 'Continue only if this account is yours.'
        : `This connection was requested by ${asker}. Continue only if you work in this workspace and want its members to use your account at this site.`,
      'You will sign in at the site itself, and we never see your password.',
      ...(again ? ['If this page keeps coming back, allow cookies from this address in your browser.'] : []),
    ],
    good: true,
    action: { href: link, label: `Continue to ${site}` },
  }
}

const finishing = {
  ...shared,
  query: v.looseObject({}),
  status: 200,
  response: flow,
  codes: [
    'VALIDATION_ERROR',
    'PERMISSION_DENIED',
    'SITE_UNAVAILABLE',
    'MANIFEST_NOT_FOUND',
    'MANIFEST_INVALID',
    'TOOL_EXECUTION_ERROR',
    'TOKEN_EXISTS',
    'VAULT_LIMIT_REACHED',
    'NOT_FOUND',
  ],
} as const

const outcome =
  'Redirects to `returnTo`, also if the site was not connected. Without `returnTo`, responds with a page, or with JSON to clients that prefer it.'

export const finishOAuth = route({
  ...finishing,
  name: 'finishOAuth',
  path: `${folder}/callback`,
  summary: 'Finish connecting a site with OAuth',
  description: `For browsers: the platform's redirect URI at sites with a \`toolsite.json\`. ${outcome}`,
  handle: ({ services, request }) => finish(services, request),
})

export const finishForeignOAuth = route({
  ...finishing,
  name: 'finishForeignOAuth',
  path: `${folder}/callback/{issuerKey}`,
  summary: 'Finish connecting an MCP server with OAuth',
  description: `For browsers: the platform's redirect URI at the authorization server of an MCP server. Each issuer has its own. ${outcome}`,
  async handle({ services, request, params: { issuerKey } }) {
    assertIssuerKey(issuerKey)
    return finish(services, request, issuerKey)
  },
})

async function finish({ vault, clock }: Services, request: RequestFacts, issuerKey?: string): Promise<BrowserAnswer> {
  const { flow: finished, result } = await vault.callback.finish({
    parameters: new URLSearchParams(request.search),
    issuerKey,
    bindingOf: cookieOf(request),
    from: clientOf(request),
  })
  if (finished.returnTo !== null) return { location: withParameter(finished.returnTo, 'flow', finished.id) }
  if ('error' in result) throw result.error
  const { entry } = result
  const page = {
    title: `${quotedName(entry.name)} is connected`,
    text: [
      `Your agents can now do the following at ${entry.origin}: ${sentence(entry.scopes, entry.foreignScopes?.granted ?? null)}.`,
      ...(entry.scopeNote === null ? [] : [entry.scopeNote]),
      'You can close this window.',
    ],
    good: true,
  }
  return { page, content: presentFlow(finished, clock.now()) }
}
