import { broken, edit, type BrokenPlatform } from './broken-platform.ts'

/** Platforms that show or permit somebody too much, or forget what has changed. Each row finds another edit. */
export const tenantFaults: BrokenPlatform[] = [
  broken(
    'a list has the agents of everybody, and a vault entry is visible to strangers',
    ['owners/Lists', 'owners/Things'],
    edit(
      'src/agents/agents.ts',
      'page(living(database).where({ ownerId }), {',
      'page(living(database).where(ownerId ? {} : { ownerId }), {',
    ),
    edit('src/vault/entries.ts', ".whereIn('ownerId', listOf(owners)).findById(id)", '.findById(id)'),
  ),
  broken(
    'a list has the runs of everybody, and a run is visible to strangers',
    ['owners/Lists', 'owners/Things'],
    edit('src/runs/reading/read-runs.ts', "list: 'runs', of: { ownerId }", "list: 'runs', of: {}"),
    edit('src/runs/reading/read-runs.ts', 'run && belongsTo(owners, run.ownerId)', 'run && owners'),
  ),
  broken(
    'a list has the vault entries of everybody, and a session is there for strangers',
    ['owners/Lists', 'owners/Things'],
    edit('src/vault/entries.ts', 'page(mine(ownerId).select(', 'page(VaultEntry.query(database).select('),
    edit('src/sessions/sessions.ts', ".whereIn('ownerId', listOf(owners)).findOne({ id })", '.findOne({ id })'),
  ),
  broken(
    'any workspace may be named, terms are for readers, and what has changed is not checked',
    [
      'owners/Things',
      'codes/TERMS_NOT_ACCEPTED',
      'codes/TOKEN_REVOKED',
      'codes/TIER_REQUIRED',
      'codes/AGENT_ALREADY_RUNNING',
      'codes/WEBHOOK_PAYLOAD_INVALID',
      'events/5 Action override',
    ],
    edit('src/owners/reach.ts', "  assertThat(places.has(ownerId), 'WORKSPACE_NOT_FOUND')\n", '  void places\n'),
    edit(
      'api/route/mount.ts',
      'if (needsTerms(route)) requireTerms(account)',
      "if (needsTerms(route) && route.method === 'get') requireTerms(account)",
    ),
    edit('api/logins.ts', 'services.users.loginList.end(caller, params.loginId)', 'void [services, caller, params]'),
    edit(
      'src/agents/agents.ts',
      "        if (standing && current.trigger !== 'webhook') requireFeature(standing, 'webhooks')\n",
      '',
    ),
    edit(
      'src/runs/accept/manual.ts',
      'assertThat((await depth(id)) === 0,',
      "assertThat((await depth(id)) === 0 || agent.trigger === 'webhook',",
    ),
    edit('src/runs/accept/manual.ts', 'onlyIfIdle: true', "onlyIfIdle: agent.trigger !== 'webhook'"),
    edit('src/webhooks/payload-facts.ts', 'found === type ?', "found === type || found === 'boolean' ?"),
    edit(
      'src/runs/queue/prompt-in-force.ts',
      "written?.startsWith('\"') ? JSON.parse(written) : undefined",
      'written === undefined ? undefined : String(JSON.parse(written))',
    ),
  ),
  broken(
    'a member stays, a tier that has ended permits all, and anybody advances a clock',
    [
      'workspaces/Membership',
      'limits/Plan requirement',
      'limits/Team plan',
      'codes/ADMIN_REQUIRED',
      'codes/WEBHOOK_PAYLOAD_INVALID',
      'webhook/Failure',
      'events/5 Action override',
    ],
    edit('src/workspaces/members.ts', '        await Member.query(trx).deleteById(member.id)\n', ''),
    edit('src/webhooks/webhooks.ts', "      requireFeature(standing, 'webhooks')\n", ''),
    edit(
      'src/owners/reach.ts',
      "assertThat(isOpen || whenClosed || action === 'see', 'WORKSPACE_REQUIRED'",
      "assertThat(isOpen || whenClosed || action, 'WORKSPACE_REQUIRED'",
    ),
    edit('api/admin-clock.ts', "access: 'admin'", "access: 'login'"),
    edit(
      'src/webhooks/payload-facts.ts',
      'const found = typeOf(members[name])',
      "const found = Number(members[name]) < 0 ? 'less' : typeOf(members[name])",
    ),
    edit('api/route/body.ts', "if (!ctx.is('json', '+json'))", "if (!ctx.is('json', '+json', 'text/*'))"),
    edit(
      'src/runs/queue/prompt-in-force.ts',
      "trigger === 'webhook' ? actionOf(payload) : undefined",
      'trigger ? actionOf(payload) : undefined',
    ),
  ),
  broken(
    'a member becomes the owner, a viewer starts runs, and an error in a stream has a wrong status',
    [
      'codes/ROLE_CHANGE_FORBIDDEN',
      'codes/PERMISSION_DENIED',
      'codes/MEMBER_NOT_FOUND',
      'errors/In a stream',
      'states/Run',
    ],
    edit('src/workspaces/members.ts', "member.role !== 'owner' && role !== 'owner'", "member.role !== 'owner'"),
    edit('src/owners/roles.ts', "viewer: ['see'],", "viewer: ['see', 'use'],"),
    edit(
      'src/workspaces/members.ts',
      "assertThat(member, 'MEMBER_NOT_FOUND')",
      "assertThat(member, (await trx('users').where({ id: userId }).first()) ? 'NOT_FOUND' : 'MEMBER_NOT_FOUND')",
    ),
    edit(
      'src/chat/parts.ts',
      'data: { error, code, statusCode, ...',
      'data: { error, code, statusCode: statusCode + 1, ...',
    ),
    edit(
      'api/schemas/run-schema.ts',
      '  ...(await runs.reading.answerOf(row)),\n',
      "  ...(await runs.reading.answerOf(row)),\n  ...(row.endedAt === null && { status: 'queued' }),\n",
    ),
  ),
]
