import { Router } from '@koa/router'
import Koa from 'koa'
import type { Services } from '../src/services.ts'
import { mountAuthorizationServer } from './authorization-server.ts'
import { mountCanary } from './canary.ts'
import { mountConsole } from './console/console.ts'
import { mountDocs } from './docs/docs.ts'
import { mountMcp } from './mcp/mcp.ts'
import { mountMetrics } from './metrics.ts'
import { accessLog } from './middleware/access-log.ts'
import { crossOrigin } from './middleware/cross-origin.ts'
import { errors } from './middleware/errors.ts'
import { handshakes } from './middleware/handshakes.ts'
import { headers } from './middleware/headers.ts'
import { methods } from './middleware/methods.ts'
import { requestId } from './middleware/request-id.ts'
import { sizes } from './middleware/sizes.ts'
import { target } from './middleware/target.ts'
import { traces } from './middleware/traces.ts'
import { createFindPath, pattern } from './route/known-path.ts'
import { createAdmission } from './route/admission.ts'
import { mount } from './route/mount.ts'
import { createOpenStreams } from './streams/open-streams.ts'
import { routes } from './routes.ts'

/** The HTTP API. Middleware runs in the order below. */
export function createApp(services: Services): Koa {
  const { trustedProxies, baseUrl, corsOrigins } = services.config.http
  // Koa reads the client's address from the right end of X-Forwarded-For and skips the trusted proxies.
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  const router = new Router({ sensitive: true, strict: false })
  const streams = createOpenStreams({ ...services, stopping: services.runs.watching.stopping })
  const shared = { streams, admission: createAdmission() }
  const front = new Router({ sensitive: true, strict: false })
  for (const route of routes) {
    const handle = route.serve?.(services) ?? mount(route, services, shared)
    if (route.serve) front[route.method](pattern(route), handle)
    router[route.method](pattern(route), handle)
  }
  mountDocs(router, routes, services)
  mountConsole(router, services)
  mountAuthorizationServer(router, services)
  mountMcp(router, services, shared)
  mountMetrics(router, services)
  mountCanary(router, services)
  const find = createFindPath(router, routes)

  app.use(requestId)
  app.use(accessLog(services.logger))
  app.use(traces(services.tracing))
  app.use(headers(baseUrl))
  app.use(errors(services.logger))
  app.use(target)
  app.use(sizes)
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins, find, routes))
  app.use(handshakes)
  // Deliveries pass by the search for their path among all others.
  app.use(front.routes())
  app.use(methods(find))
  app.use(router.routes())
  app.on('error', (error: unknown) => {
    if (!isClientGone(error)) services.logger.error({ err: error }, 'failed to send a response')
  })
  return app
}

/** Clients hang up in the middle of a response all the time; the access log has the line. */
const isClientGone = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String((error as { code?: unknown }).code))
