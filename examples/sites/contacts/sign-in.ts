import type { Context } from 'koa'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { consentPage, errorPage, loginPage } from './pages.ts'
import { checkPassword, findUser, isScope, type Scope, type User } from './users.ts'

/** Where oidc-provider sends browsers for user input. */
export const signInPath = '/sign-in'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/**
 * The two screens between the authorization request and the code: login and consent. Each is a form at
 * `/sign-in/{uid}`. Opening or sending it requires the signed cookie that oidc-provider gave this browser for this
 * path; no other site can make a browser send that cookie with a form (SameSite).
 */
export function createSignIn(provider: Provider) {
  async function showLogin(ctx: Context, interaction: Interaction, problem?: string, name?: string): Promise<void> {
    showPage(ctx, interaction, loginPage(await clientName(provider, interaction), problem, name))
  }

  async function finish(ctx: Context, result: InteractionResults): Promise<void> {
    // 303: the browser follows with a GET, and does not send the password again (RFC 9700, 4.12).
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

/** The interaction of this browser at this address. Throws without its cookie, or after it has expired. */
async function interactionOf(provider: Provider, ctx: Context): Promise<Interaction> {
  const interaction = await provider.interactionDetails(ctx.req, ctx.res)
  if (interaction.uid !== ctx.params['uid']) throw new errors.SessionNotFound('this is not the sign-in of this browser')
  return interaction
}

/** The user, once only the consent is missing. */
const signedInUser = (interaction: Interaction): User | undefined =>
  interaction.prompt.name === 'consent' ? findUser(interaction.session?.accountId ?? '') : undefined

async function decide(
  provider: Provider,
  interaction: Interaction,
  user: User,
  allowed: boolean,
): Promise<InteractionResults> {
  const { given } = divide(interaction, user)
  const notGranted = askedScopes(interaction).filter((scope) => !given.some((one) => one === scope))
  if (!allowed) return { error: 'access_denied', error_description: 'The user did not allow it.' }
  if (given.length === 0)
    return { error: 'access_denied', error_description: 'The user has none of these permissions.' }
  const grant = new provider.Grant({ accountId: user.name, clientId: String(interaction.params['client_id']) })
  // There are no resource indicators here, so the scopes belong to the authorization server, although none is an OpenID
  // scope.
  grant.addOIDCScope(given)
  // Without this, oidc-provider would ask for the rest again.
  if (notGranted.length > 0) grant.rejectOIDCScope(notGranted)
  return { consent: { grantId: await grant.save() } }
}

/** The requested scopes, split into those that this user can grant and the others. */
function divide(interaction: Interaction, user: User): { given: Scope[]; refused: Scope[] } {
  const asked = askedScopes(interaction).filter(isScope)
  return {
    given: asked.filter((scope) => user.may.includes(scope)),
    refused: asked.filter((scope) => !user.may.includes(scope)),
  }
}

/**
 * All requested scopes count as missing, because each consent creates its own grant. They may include `openid`, which
 * oidc-provider always knows and this site never grants.
 */
const askedScopes = ({ prompt }: Interaction): string[] => (prompt.details['missingOIDCScope'] ?? []) as string[]

async function clientName(provider: Provider, { params }: Interaction): Promise<string> {
  const client = await provider.Client.find(String(params['client_id']))
  return client?.clientName ?? 'An application'
}

const returnOrigin = ({ params }: Interaction): string => new URL(String(params['redirect_uri'])).origin

/**
 * No scripts, no frames (against clickjacking of "Allow"), no caching. Browsers also apply `form-action` to redirects
 * after a form, so it must include the client's origin.
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

/** Texts only: a form may repeat a name, or omit ours. */
function formOf(ctx: Context): Record<string, string> {
  const body = (ctx.request.body ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

/** For the screens only: shows problems as pages. */
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
