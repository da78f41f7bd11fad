import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { resourceMetadataPath, serverMetadataPath, serverPaths } from '../src/apps/paths.ts'
import { appScopes, knownScopes, usualScopes } from '../src/apps/app-scopes.ts'
import type { Services } from '../src/services.ts'
import { explainRefusal, noteRefusal } from './authorization-refusals.ts'
import { isPrefetch, refusePrefetch } from './browser/browser-answer.ts'

/**
 * Mounts the authorization server of the MCP endpoint, with both metadata documents (RFC 8414, RFC 9728). The library
 * answers; the rates, the addresses and the pages of errors are ours.
 */
export function mountAuthorizationServer(router: Router, services: Services): void {
  const { apps, config, rateLimits } = services
  const serve = handOver(services)
  const address: Middleware = async (ctx, next) => {
    await rateLimits.auth(ctx.ip)
    return next()
  }
  const browser: Middleware = async (ctx, next) => {
    ctx.state['browser'] = true
    await rateLimits.browser(ctx.ip)
    return isPrefetch(ctx) ? refusePrefetch(ctx) : next()
  }
  const registration: Middleware = async (ctx, next) => {
    await rateLimits.registration(ctx.ip)
    return next()
  }
  router.get(serverPaths.authorization, browser, serve)
  router.get(`${serverPaths.authorization}/:requestId`, browser, serve)
  router.post(serverPaths.token, address, serve)
  router.post(serverPaths.revocation, address, serve)
  router.post(serverPaths.registration, address, registration, serve)
  router.get(serverMetadataPath, serve)
  router.get(resourceMetadataPath, (ctx) => {
    ctx.body = {
      resource: apps.resource,
      authorization_servers: [config.http.baseUrl],
      scopes_supported: usualScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Switchyard',
    }
  })
}

/** Gives a request to the library, whose addresses are all made from BASE_URL and not from what the client says. */
function handOver(services: Services): Middleware {
  const { apps, config } = services
  const { provider } = apps
  const { protocol, host } = new URL(config.http.baseUrl)
  provider.use(async (ctx, next) => {
    await next()
    shorten(ctx)
    await explainRefusal(ctx, services)
  })
  provider.on('authorization.error', noteRefusal)
  provider.on('grant.error', noteRefusal)
  provider.on('revocation.error', noteRefusal)
  provider.on('server_error', noteRefusal)
  const answer = provider.callback()
  return async (ctx) => {
    Object.assign(ctx.req.headers, {
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-host': host,
      'x-forwarded-for': ctx.ip,
    })
    ctx.req.url = ctx.path === serverPaths.authorization ? withScope(ctx) : `${ctx.path}${ctx.search}`
    ctx.respond = false
    await answer(ctx.req, ctx.res)
  }
}

/** A client that names no scope that we know gets the usual ones (RFC 6749, 3.3). */
function withScope({ path, querystring }: Context): string {
  const parameters = new URLSearchParams(querystring)
  if (knownScopes(parameters.get('scope') ?? '').length === 0) parameters.set('scope', usualScopes.join(' '))
  return `${path}?${parameters.toString()}`
}

/** Members of the metadata that say what the server does. The rest is about OpenID Connect, which it does not do. */
const members = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
]

function shorten(ctx: Context): void {
  if (ctx.path !== serverMetadataPath || ctx.status !== 200) return
  const all = ctx.body as Record<string, unknown>
  const shown = Object.fromEntries(members.filter((name) => name in all).map((name) => [name, all[name]]))
  // Our policy for pages keeps the form of another response mode from being sent.
  ctx.body = { ...shown, scopes_supported: appScopes, response_modes_supported: ['query'] }
}
