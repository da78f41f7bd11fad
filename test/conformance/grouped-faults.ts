import { broken, edit, type BrokenPlatform } from './broken-platform.ts'

/** Platforms that do several things wrong, so that fewer have to start: each of the rows finds another one. */
export const groupedFaults: BrokenPlatform[] = [
  broken(
    'schedules never fire, and a second is always said to be enough',
    { 'agent/Manual and scheduled': '', 'limits/Response when exceeded': 'answered 429' },
    edit('src/schedules/fires', "if (agent.pausedAt) return 'PAUSED'", "if (agent) return 'PAUSED'"),
    edit('src', 'Math.max(1, Math.ceil(refused', 'Math.min(1, Math.ceil(refused'),
  ),
  broken(
    'requests are not limited, and what starts runs asks for no credits',
    {
      'codes/RATE_LIMITED': 'requests were all accepted',
      'limits/Response when exceeded': 'requests were all accepted',
      'codes/NO_CREDITS': '/runs answered 202',
    },
    edit('src', 'await limiter.consume(key, count)', 'if (count < 0) await limiter.consume(key, count)'),
    edit('src/runs/accept', 'accountFor(agent)\n    requireCredits(standing)\n', 'accountFor(agent)\n'),
    edit('src/webhooks', '      requireCredits(standing)\n', ''),
  ),
  broken(
    'deliveries ask for no credits, a minute is always said, and purchases need no card',
    {
      'codes/NO_CREDITS': 'POST /api/webhooks/agent/',
      'limits/Response when exceeded': 'answered 200',
      'codes/NO_PAYMENT_METHOD': '',
    },
    edit('src/webhooks', '      requireCredits(standing)\n', ''),
    edit('src', 'Math.max(1, Math.ceil(refused', 'Math.max(60, Math.ceil(refused'),
    edit('src/billing', '      await paymentMethods.assertCard(trx, ownerId)\n', ''),
  ),
  broken(
    'credits are refused while there are some, calls are counted for seconds, and a hold is always as long',
    {
      'codes/NO_CREDITS': 'the balance is still',
      'codes/OUTGOING_RATE_LIMITED': 'after the first call',
      'tool call/Failure 429': 'Retry-After is 55',
      'codes/PAYMENT_FAILED': '',
    },
    edit('src/billing', "assertThat(balance >= 1, 'NO_CREDITS'", "assertThat(balance >= 50, 'NO_CREDITS'"),
    edit('src/tools', 'windowMs: 60_000', 'windowMs: 5_000'),
    edit('src/tools', 'Math.min(Math.max(seconds ?? defaultHoldSeconds, 1), holdMinutes * 60) * 1000', '55_000'),
    edit(
      'src/billing',
      "      assertThat(!isOwn, 'PAYMENT_FAILED'",
      "      if (isOwn) return sent\n      assertThat(!isOwn, 'PAYMENT_FAILED'",
    ),
  ),
  broken(
    'each owner has calls of its own to a site, tokens are renewed too late, and verifiers are constant',
    {
      'limits/Outgoing tool calls': 'answered 200',
      'oauth/Refresh': 'what the site answered',
      'authorize/Behaviour': 'two flows share code_challenge',
    },
    edit(
      'src/tools',
      'const host = limitedHost(connection.serverUrl, config.sites)',
      'const host = `${limitedHost(connection.serverUrl, config.sites)} ${sending.ownerId}`',
    ),
    edit('src/vault', 'if (!entry.refreshAfter || entry.refreshAfter > now)', 'if (entry)'),
    edit('src/vault/oauth', 'oauth.generateRandomCodeVerifier()', "'a'.repeat(64)"),
  ),
  broken(
    'tokens are renewed before each call, any state is good, and prompts lack payload and schema',
    {
      'limits/Access token lifetime': 'the number of refreshes',
      'authorize/Behaviour': 'and not VALIDATION_ERROR',
      'events/2 Context': '',
      'events/4 Schema': '',
    },
    edit('src/vault', 'if (!entry.refreshAfter || entry.refreshAfter > now)', 'if (!entry.refreshAfter)'),
    edit(
      'src/vault/oauth',
      "    const flow = isToken('state', state)\n      ? await OAuthFlow.query(database).findOne({ stateHash: hashToken(state) })\n      : undefined\n",
      "    const open = await OAuthFlow.query(database).where({ status: 'pending' })\n    const flow = open.find(({ id }) => isToken('state', state) && bindingOf(id) !== undefined)\n",
    ),
    edit('src/models', "fence('untrusted payload', payload)", "fence('untrusted payload', payload.slice(0, 12))"),
    edit('src/models', 'const fields = schema?.length ?', 'const fields = schema?.length === 0 ?'),
  ),
  broken(
    'sites see another User-Agent and a token with requests for manifests, and webhooks are elsewhere',
    {
      'tool call/User-Agent': 'manifest: it is "node"',
      'manifest/Address': 'the header authorization was sent',
      'agent/Webhook URL': '',
    },
    edit(
      'src/safe-fetch',
      'readHeaders(request.headers ?? {}, userAgent,',
      "readHeaders(request.headers ?? {}, url.pathname.includes('/tools/') ? userAgent : 'node',",
    ),
    edit(
      'src/sites',
      "headers: { accept: 'application/json' }",
      "headers: { accept: 'application/json', authorization: 'Bearer leaked' }",
    ),
    edit('api/schemas', '`${services.config.http.baseUrl}/api/webhooks', '`https://wrong.example/api/webhooks'),
  ),
  broken(
    'manifests need no name and no version, and a 404 is an invalid one',
    {
      'manifest/name': 'answered 200',
      'manifest/version': 'answered 200',
      'codes/MANIFEST_NOT_FOUND': 'answered 422',
    },
    edit(
      'src/sites/manifest',
      "name: about(text(200), 'Name of the site or application.')",
      "name: v.optional(about(text(200), 'Name of the site or application.'), 'A site')",
    ),
    edit(
      'src/sites/manifest',
      "version: about(text(100), 'Version of the manifest or the site; any text.')",
      "version: v.optional(about(text(100), 'Version of the manifest or the site; any text.'), '1')",
    ),
    edit('src/sites', "throw new CodedError('MANIFEST_NOT_FOUND'", "throw new CodedError('MANIFEST_INVALID'"),
  ),
  broken(
    'runs are listed oldest first, everybody is an admin, a refused token is used, and failed answers are shown',
    {
      'events/6 Run list': '',
      'codes/ADMIN_REQUIRED': 'answered 200',
      'codes/TOKEN_EXISTS': 'Authorization of the next call',
      'codes/STREAM_ABORTED': 'what is kept of the answer',
    },
    edit(
      'api',
      'agentId: resource.id })\n    return { ...page, items: page.items.map(presentListedRun)',
      'agentId: resource.id })\n    return { ...page, items: page.items.toReversed().map(presentListedRun)',
    ),
    edit('api', "access: 'admin', method", "access: 'login', method"),
    edit(
      'src/vault',
      '      await assertNew(ownerId, origin)\n',
      '      const old = await VaultEntry.query(database).findOne({ ownerId, origin })\n' +
        '      if (old) await renew({ id: old.id, ownerId, by: connectedBy }, { accessToken: token }, {})\n' +
        '      await assertNew(ownerId, origin)\n',
    ),
    edit('src/chat', "answers.filter(({ status }) => status !== 'failed')", 'answers.filter(({ status }) => status)'),
  ),
]
