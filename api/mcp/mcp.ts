import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { mcpPath, resourceMetadataPath } from '../../src/apps/paths.ts'
import { noteInLog } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import { requireKept, requireTerms, type Caller } from '../../src/users/caller.ts'
import { bodyReader, readJsonBody } from '../route/body.ts'
import { countRequest, type Shared } from '../route/mount.ts'
import type { CallerNow } from '../route/permit.ts'
import { factsOf } from '../route/request-facts.ts'
import { authenticate, type Authenticated } from './authenticate.ts'
import type { McpUser } from './mcp-user.ts'
import { requireScopeFor } from './needed-scope.ts'
import { refuseOtherOrigins } from './origins.ts'
import { respond } from './respond.ts'
import { createMcpServer } from './server.ts'

/** The platform as an MCP server, for clients that speak for one user. */
export function mountMcp(router: Router, services: Services, { admission, streams }: Shared): void {
  const { config, logger } = services
  const read = bodyReader(config.bodies.webhookBytes)
  const resourceMetadata = new URL(resourceMetadataPath, config.http.baseUrl).href
  const onerror = (error: Error) => logger.debug({ err: error }, 'an MCP request failed')
  router.post(mcpPath, async (ctx) => {
    refuseOtherOrigins(ctx, config.http)
    const authorization = ctx.headers.authorization
    const check = async () => {
      const found = await authenticate(services, authorization, { resourceMetadata })
      await admit(services, found.caller)
      return { found, account: found.caller }
    }
    const { found } = await admission.admit(ctx, authorization ?? '', check)
    ctx.state['userId'] = found.userId
    noteInLog({ userId: found.userId, ownerId: found.ownerId })
    const message = await readJsonBody(ctx, read, found.userId, { exactNumbers: false })
    requireScopeFor(message, found.scopes, ctx)
    const callerNow: CallerNow = async (within) => (await authenticate(services, authorization, { within })).caller
    const user = userOf(ctx, { services, streams, found, callerNow })
    await respond(ctx, message, () => createMcpServer(user, message), { mostSubscriptions: 0, onerror })
  })
}

/** As for other routes: the request counts, and the account may act. */
async function admit(services: Services, caller: Caller): Promise<void> {
  await countRequest(services, { ...caller, countedBy: caller.apiKeyId ?? caller.appId ?? caller.userId })
  requireTerms(caller)
  requireKept(caller)
}

interface Sender extends Pick<Shared, 'streams'> {
  services: Services
  found: Authenticated
  callerNow: CallerNow
}

function userOf(ctx: Context, { services, streams, found, callerNow }: Sender): McpUser {
  const { userId: party, allowance } = found.caller
  const key = `${ctx.headers.authorization} ${mcpPath}`
  const admitAgain = async () => requireKept(await callerNow())
  const stay: McpUser['stay'] = (end) => streams.enter({ key, party, allowance, admit: admitAgain, end })
  return { ...found, services, callerNow, request: factsOf(ctx), stay }
}
