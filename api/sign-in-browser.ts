import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import type { OpenedFlow } from '../src/sign-in/flows.ts'
import { folder } from '../src/sign-in/provider.ts'
import type { BrowserAnswer } from './browser/browser-answer.ts'
import { loginCookies } from './browser/login-cookies.ts'
import { clientOf, type RequestFacts } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { field } from './schemas/documented.ts'
import { localPath } from './schemas/local-path.ts'
import { text } from './schemas/schemas.ts'
import { finishedSignIn, hostOf } from './schemas/sign-in-schema.ts'

const cookieName = (flowId: string): string => `switchyard_sign_in_${flowId}`
const cookieOf = (request: RequestFacts) => (flowId: string) => request.cookie(cookieName(flowId))

const shared = { tag: 'auth', access: 'anyone', limit: 'browser', browser: true, method: 'get' } as const

/** Binds the flow to the browser, and sends it to the provider. */
const goOn = async ({ signIn }: Services, opened: OpenedFlow): Promise<BrowserAnswer> => ({
  location: await signIn.flows.go(opened),
  cookie: cookieFor(opened),
})

const cookieFor = ({ flow, binding }: OpenedFlow) => ({
  name: cookieName(flow.id),
  value: binding,
  path: folder,
  maxAgeSeconds: 600,
})

export const startSignIn = route({
  ...shared,
  name: 'startSignIn',
  path: `${folder}/{providerId}/start`,
  summary: 'Start signing in with a provider',
  description:
    'For browsers. Redirects to the provider. When the browser returns, it gets the sign-in cookies. To sign in to a single workspace, use its id as `providerId`. In that case, a page that names the provider is shown first.',
  query: v.strictObject({
    returnTo: v.optional(field(localPath, 'Path on this platform to open afterward', '/console')),
  }),
  status: 303,
  codes: ['VALIDATION_ERROR', 'NOT_FOUND', 'SITE_UNAVAILABLE', 'PERMISSION_DENIED'],
  async handle({ services, params, query: { returnTo }, request }): Promise<BrowserAnswer> {
    const { providers, flows } = services.signIn
    const provider = await providers.find(params.providerId)
    const { url, ticket } = await flows.begin({ provider, address: request.address, returnTo })
    // The operator of a workspace's provider controls this redirect, so a page names its target first.
    if (provider.workspaceProviderId !== null) return { location: url }
    return goOn(services, await flows.open(ticket, cookieOf(request)))
  },
})

export const goToProvider = route({
  ...shared,
  name: 'goToProvider',
  path: `${folder}/go`,
  summary: "Continue to a provider's sign-in page",
  description:
    "For browsers. Shows a page that names the account to link, or the workspace's provider. The link on the page works only in the same browser. Clients that request `application/json` are redirected immediately.",
  query: v.looseObject({
    ticket: field(text(100), 'Ticket in `linkUrl`'),
    seen: v.optional(field(v.string(), 'Proof that the page was shown: the value of `seen` in its link')),
  }),
  status: 303,
  codes: ['VALIDATION_ERROR', 'NOT_FOUND', 'SITE_UNAVAILABLE', 'PERMISSION_DENIED'],
  async handle({ services, query: { ticket, seen }, request }): Promise<BrowserAnswer> {
    const opened = await services.signIn.flows.open(ticket, cookieOf(request))
    if (request.asksForJson || seen === opened.seen) return goOn(services, opened)
    const link = `${folder}/go?${new URLSearchParams({ ticket, seen: opened.seen }).toString()}`
    const shown = await services.signIn.flows.preview(opened)
    return { page: confirmation(shown, link, seen !== undefined), cookie: cookieFor(opened) }
  },
})

/**
 * Names the account: a person who got this address from an attacker would otherwise sign in to the attacker's account.
 * `again`: the link did not belong to this browser, which may refuse cookies or have a second tab.
 */
function confirmation(shown: { account: string | undefined; issuer: string }, link: string, again: boolean) {
  const host = hostOf(shown)
  const linking = [
    `Your identity at ${host} will be linked to ${shown.account}. Anyone who signs in there as you can then sign in to that account here.`,
    'Continue only if this account is yours.',
  ]
  const signingIn = [
    'You will sign in there and then return to your workspace here. Continue only if you recognize this address.',
  ]
  return {
    title: shown.account === undefined ? `Sign in with ${host}?` : `Link ${host} to ${shown.account}?`,
    text: [
      ...(shown.account === undefined ? signingIn : linking),
      ...(again ? ['If this page keeps coming back, allow cookies from this address in your browser.'] : []),
    ],
    good: true,
    action: { href: link, label: `Continue to ${host}` },
  }
}

export const finishSignIn = route({
  ...shared,
  name: 'finishSignIn',
  path: `${folder}/{providerId}/callback`,
  summary: 'Finish signing in with a provider',
  description:
    'For browsers: the redirect URI to register with the provider. Sets the sign-in cookies and redirects to ' +
    '`returnTo`. Without `returnTo`, the response is a page, or JSON for clients that prefer it.',
  query: v.looseObject({}),
  status: 200,
  response: finishedSignIn,
  codes: ['VALIDATION_ERROR', 'PERMISSION_DENIED', 'SITE_UNAVAILABLE', 'NOT_FOUND', 'FEATURE_LIMIT_REACHED'],
  async handle({ services, params, request }): Promise<BrowserAnswer> {
    const finished = await services.signIn.callback.finish({
      providerId: params.providerId,
      parameters: new URLSearchParams(request.search),
      cookieOf: cookieOf(request),
      from: clientOf(request),
    })
    const { outcome, provider, returnTo, tokens } = finished
    const cookies = tokens ? loginCookies(tokens, services.config) : []
    if (outcome === 'signed-in' && returnTo !== null) return { location: returnTo, cookies }
    return { page: pages[outcome](provider.title), content: { provider: provider.id, outcome }, cookies }
  },
})

const close = 'You can close this window.'
const pages = {
  'signed-in': (title: string) => ({
    title: 'You are signed in',
    text: [`You signed in with ${title}. ${close}`],
    good: true,
  }),
  linked: (title: string) => ({
    title: `${title} is linked`,
    text: [`You can now sign in with it. ${close}`],
    good: true,
  }),
}
