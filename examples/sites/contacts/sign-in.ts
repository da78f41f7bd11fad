import type { Context } from 'koa'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { consentPage, errorPage, loginPage } from './pages.ts'
import { checkPassword, findUser, isScope, type Scope, type User } from './users.ts'

/** Where oidc-provider sends browsers when it needs to know something from the user. */
export const signInPath = '/sign-in'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/**
 * The two screens between "authorise" and the code: who are you, and do you allow it. Each is a form at
 * `/sign-in/{uid}`. Whoever opens or sends it must have the signed cookie that oidc-provider gave this browser for this
 * one path; no other site can make a browser send that along with a form (SameSite).
 */
export function createSignIn(provider: Provider) {
  async function showLogin(ctx: Context, interaction: Interaction, problem?: string, name?: string): Promise<void> {
    showPage(ctx, interaction, loginPage(await clientName(provider, interaction), problem, name))
  }

  async function finish(ctx: Context, result: InteractionResults): Promise<void> {
    // 303: the browser follows with a GET, and never sends the password on (RFC 9700, 4.12).
    ctx.status = 303
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result))
  }

  return {
    show: async (ctx: Context): Promise<void> => {
      const interaction = await interactionOf(provider, ctx)
      const user = signedInUser(interaction)
      if (!user) return showLogin(ctx, interaction)
      const client = await clientName(provider, interaction)
      const returnsTo = returnOrigin(interaction)
      showPage(ctx, interaction, consentPage({ client, user, returnsTo, ...divide(interaction, user) }))
    },

    submit: async (ctx: Context): Promise<void> => {
      const interaction = await interactionOf(provider, ctx)
      const form = formOf(ctx)
      const user = signedInUser(interaction)
      if (user) return finish(ctx, await decide(provider, interaction, user, form['decision'] === 'allow'))
      const { user: name = '', password = '' } = form
      const known = checkPassword(name, password)
      if (known) return finish(ctx, { login: { accountId: known.name } })
      ctx.status = 400
      await showLogin(ctx, interaction, 'The user or the password is wrong.', name)
    },
  }
}

/** What this browser is asked for, at this address. Without its cookie, or too late, there is nothing to show. */
async function interactionOf(provider: Provider, ctx: Context): Promise<Interaction> {
  const interaction = await provider.interactionDetails(ctx.req, ctx.res)
  if (interaction.uid !== ctx.params['uid']) throw new errors.SessionNotFound('this is not the sign-in of this browser')
  return interaction
}

/** The user, once the login is done and the consent is what is missing. */
const signedInUser = (interaction: Interaction): User | undefined =>
  interaction.prompt.name === 'consent' ? findUser(interaction.session?.accountId ?? '') : undefined

async function decide(
  provider: Provider,
  interaction: Interaction,
  user: User,
  allowed: boolean,
): Promise<InteractionResults> {
  const { given } = divide(interaction, user)
  const notGiven = askedScopes(interaction).filter((scope) => !given.some((one) => one === scope))
  if (!allowed) return { error: 'access_denied', error_description: 'The user did not allow it.' }
  if (given.length === 0)
    return { error: 'access_denied', error_description: 'The user has none of these permissions.' }
  const grant = new provider.Grant({ accountId: user.name, clientId: String(interaction.params['client_id']) })
  // No resource indicators here: the scopes are those of the authorisation server itself, though none is of OpenID.
  grant.addOIDCScope(given)
  // Said too, or oidc-provider would ask for the rest again.
  if (notGiven.length > 0) grant.rejectOIDCScope(notGiven)
  return { consent: { grantId: await grant.save() } }
}

/** What was asked for, divided into what this user can give and what not. */
function divide(interaction: Interaction, user: User): { given: Scope[]; refused: Scope[] } {
  const asked = askedScopes(interaction).filter(isScope)
  return {
    given: asked.filter((scope) => user.may.includes(scope)),
    refused: asked.filter((scope) => !user.may.includes(scope)),
  }
}

/**
 * All that was asked for is missing, since each consent makes a grant of its own. Among it may be `openid`, which
 * oidc-provider always knows and this site does not give.
 */
const askedScopes = ({ prompt }: Interaction): string[] => (prompt.details['missingOIDCScope'] ?? []) as string[]

async function clientName(provider: Provider, { params }: Interaction): Promise<string> {
  const client = await provider.Client.find(String(params['client_id']))
  return client?.clientName ?? 'An application'
}

const returnOrigin = ({ params }: Interaction): string => new URL(String(params['redirect_uri'])).origin

/**
 * No scripts, no frames (clickjacking would press "Allow"), nothing kept. Browsers hold the redirects after a form
 * against `form-action` too, so the client's origin has to be in it.
 */
function showPage(ctx: Context, interaction: Interaction, body: string): void {
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; frame-ancestors 'none'; form-action 'self' ${returnOrigin(interaction)}`,
  )
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Frame-Options': 'DENY' })
  ctx.type = 'html'
  ctx.body = body
}

/** Texts only: a form may send the same name twice, or none of ours. */
function formOf(ctx: Context): Record<string, string> {
  const body = (ctx.request.body ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

/** For the screens only: a problem is shown as a page. */
export async function answerWithPages(ctx: Context, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    ctx.status = error.statusCode
    ctx.type = 'html'
    ctx.body = errorPage(error.error, 'This sign-in has expired, or belongs to another browser.')
  }
}
