import { broken, edit, type BrokenPlatform } from './broken-platform.ts'
import { groupedFaults } from './grouped-faults.ts'
import { tenantFaults } from './tenant-faults.ts'
import { siteFaults } from './site-faults.ts'

export const brokenPlatforms: BrokenPlatform[] = [
  broken(
    'the latest delivery goes first',
    ['limits/Webhook runs in order'],
    edit(
      'src/runs/queue',
      "status: 'queued' }).orderBy('sequence').first()",
      "status: 'queued' }).orderBy('sequence', 'desc').first()",
    ),
  ),
  broken(
    'two runs of an agent at once',
    ['limits/Webhook runs one at a time'],
    edit('migrations/baseline', 'create unique index runs_one_active', 'create index runs_one_active'),
    edit('src/runs/queue', 'return queue.runningRunId\n', 'return queue.runningRunId === agentId\n'),
    edit('workflows', '      await carryOut(run)\n', '      void carryOut(run)\n'),
  ),
  broken(
    'a refresh token is used twice',
    ['oauth/Rotation'],
    edit('src/vault/refresh', 'refreshToken: grant.refreshToken ?? refreshToken', 'refreshToken'),
  ),
  broken(
    'plain HTTP is accepted',
    ['transport/HTTPS only'],
    edit('src/safe-fetch', '!/^https:/i.test(text)', '!/^https?:/i.test(text)'),
    edit('src/safe-fetch', '/^https:\\/\\/([^/?#]*)/i', '/^https?:\\/\\/([^/?#]*)/i'),
    edit('src/safe-fetch', "url?.protocol === 'https:'", 'url'),
  ),
  broken(
    'Retry-After is missing',
    ['codes/RATE_LIMITED', 'limits/Response when exceeded'],
    edit('api/middleware', 'error.retryAfter !== undefined', 'error.retryAfter === 0'),
  ),
  broken(
    'statusCode in the body is wrong',
    ['codes/UNAUTHORIZED', 'errors/Body', 'codes/NOT_FOUND'],
    edit('src', '    statusCode: error.status,\n', '    statusCode: error.status >= 500 ? 500 : 400,\n'),
  ),
  broken(
    'the webhook schema is not applied',
    ['codes/WEBHOOK_PAYLOAD_INVALID', 'events/4 Schema'],
    edit('src/webhooks', 'if (details.length === 0) return', 'if (details.length >= 0) return'),
  ),
  broken(
    'an override without permission',
    ['agent/Allow action override'],
    edit(
      'src/runs/queue',
      "if (!agent.allowActionOverride) return { ...base, override: 'not-allowed' }",
      "if (!agent.allowActionOverride) return { ...base, systemPrompt: action, override: 'not-allowed' }",
    ),
  ),
  broken(
    'the User-Agent says nothing',
    ['tool call/User-Agent'],
    edit('src/safe-fetch', "headers.set('user-agent', userAgent)", "headers.set('user-agent', 'node')"),
  ),
  broken(
    'PKCE by the method plain',
    ['authorize/code_challenge_method', 'oauth/Flow'],
    edit('src/vault/oauth', "code_challenge_method: 'S256'", "code_challenge_method: 'plain'"),
    edit('src/vault/oauth', 'await oauth.calculatePKCECodeChallenge(ask.verifier)', 'ask.verifier'),
  ),
  broken(
    'all scopes are requested',
    ['authorize/scope', 'scopes/read', 'scopes/write', 'oauth/Least scopes'],
    edit(
      'src/vault/oauth',
      'const wanted = tools.filter(({ name }) => all || chosen?.includes(name))',
      'const wanted = tools.filter(({ name }) => all || chosen || name)',
    ),
  ),
  broken(
    'a failed tool call has another code',
    ['codes/TOOL_EXECUTION_ERROR', 'tool call/Failure 403'],
    edit(
      'src/tools',
      "const usable = outcome === 'failed' ? code : 'TOOL_EXECUTION_ERROR'",
      "const usable = code === 'OUTGOING_RATE_LIMITED' ? code : 'SITE_UNAVAILABLE'",
    ),
  ),
  broken(
    'sessions never expire',
    ['codes/SESSION_EXPIRED'],
    edit('src/sessions', 'expiresAt <= now || usedAt', 'usedAt'),
    edit(
      'src/sessions',
      '({ expiresAt, usedAt }: Session, now: Date, limits',
      '({ usedAt }: Session, now: Date, limits',
    ),
  ),
  broken(
    'a revoked JWT is accepted',
    ['codes/TOKEN_REVOKED'],
    edit('src/users', "    assertThat(found.revokedAt === null, 'TOKEN_REVOKED')\n", ''),
  ),
  broken(
    'the timeline lacks the payload',
    ['run/Timeline', 'events/6 Run list', 'webhook/Payload members'],
    edit('src/runs/reading', 'payload: shown ?? null, payloadText,', 'payload: null,'),
  ),
  broken(
    'a run that is over is cancelled',
    ['codes/RUN_NOT_CANCELLABLE'],
    edit('src/runs/ending', "assertThat(!hasEnded(status), 'RUN", "assertThat(!hasEnded(status) || status, 'RUN"),
  ),
  broken(
    'a site is connected twice',
    ['codes/TOKEN_EXISTS'],
    edit('src/vault', "assertThat(!existing, 'TOKEN_EXISTS')", "assertThat(!existing || existing, 'TOKEN_EXISTS')"),
    edit(
      'migrations/baseline',
      'constraint vault_entries_owner_origin unique (owner_id, origin)',
      'constraint vault_entries_owner_origin unique (id, origin)',
    ),
  ),
  broken(
    'calls to a site are not limited',
    ['codes/OUTGOING_RATE_LIMITED', 'limits/Outgoing tool calls'],
    edit('src/tools', 'if (!contended) return 0\n', 'if (!contended || limit) return 0\n'),
  ),
  broken(
    'a 429 of a site holds nothing',
    ['tool call/Failure 429'],
    edit('src/tools', 'const waitMs = read.heldUntil ? undefined :', 'const waitMs = read.heldUntil ? 0 :'),
  ),
  broken(
    'an agent runs twice by hand',
    ['codes/AGENT_ALREADY_RUNNING'],
    edit(
      'src/runs/accept',
      "    assertThat((await depth(id)) === 0, 'AGENT_ALREADY_RUNNING')\n",
      '    await depth(id)\n',
    ),
    edit(
      'src/runs/accept',
      'if (request.onlyIfIdle && queue.unfinished > 0)',
      'if (request.onlyIfIdle && queue.unfinished > 9)',
    ),
  ),
  broken(
    'a wrong webhook secret is accepted',
    ['codes/WEBHOOK_SECRET_INVALID', 'webhook/Failure', 'agent/Webhook secret'],
    edit(
      'src/webhooks',
      'secrets.some((secret) => equal(given, secret)) ? undefined : mismatch',
      'secrets.length > 0 ? undefined : mismatch',
    ),
  ),
  broken(
    'another browser finishes a flow',
    ['authorize/Behaviour'],
    edit(
      'src/vault/oauth',
      'binding !== undefined && hashToken(binding) === flow.bindingHash',
      'flow.bindingHash !== null',
    ),
  ),
  broken(
    'one agent more than the tier allows',
    ['codes/AGENT_LIMIT_REACHED'],
    edit('src/agents', 'count < standing.limits.agents', 'count <= standing.limits.agents'),
  ),
  broken(
    'a viewer of a workspace makes agents',
    ['codes/PERMISSION_DENIED'],
    edit('src/owners', "viewer: ['see'],", "viewer: ['see', 'use', 'build'],"),
  ),
  broken(
    'a 401 asks for nothing',
    ['codes/UNAUTHORIZED', 'codes/INVALID_TOKEN'],
    edit(
      'api/middleware',
      "if (error.status === 401) ctx.set('WWW-Authenticate',",
      "if (error.status === 401) ctx.set('X-Challenge',",
    ),
  ),
  broken(
    'details of a refused body are missing',
    ['codes/VALIDATION_ERROR', 'codes/MANIFEST_INVALID'],
    edit('src', '    ...(error.details && { details: error.details }),\n', ''),
  ),
  broken(
    'an answer that nobody waits for fails as that of a provider',
    ['codes/STREAM_ABORTED'],
    edit(
      'src/chat',
      "if (signal.reason === 'gone') return new CodedError('STREAM_ABORTED')",
      "if (signal.reason === 'gone') return new CodedError('MODEL_ERROR')",
    ),
  ),
  ...groupedFaults,
  ...tenantFaults,
  ...siteFaults,
]
