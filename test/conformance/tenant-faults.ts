import { broken, edit, type BrokenPlatform } from './broken-platform.ts'

/** Platforms that show or permit somebody too much, or forget what has changed. Each row finds another edit. */
export const tenantFaults: BrokenPlatform[] = [
  broken(
    'a list has the agents of everybody, and a vault entry is visible to strangers',
    ['owners/Lists', 'owners/Things'],
    edit(
      'src/agents',
      'page(living(database).where({ ownerId }), {',
      'page(living(database).where(ownerId ? {} : { ownerId }), {',
    ),
    edit('src/vault', ".whereIn('ownerId', listOf(owners)).findById(id)", '.findById(id)'),
  ),
  broken(
    'a list has the runs of everybody, and a run is visible to strangers',
    ['owners/Lists', 'owners/Things'],
    edit('src/runs/reading', "list: 'runs', of: { ownerId }", "list: 'runs', of: {}"),
    edit('src/runs/reading', 'run && belongsTo(owners, run.ownerId)', 'run && owners'),
  ),
  broken(
    'a list has the vault entries of everybody, and a session is there for strangers',
    ['owners/Lists', 'owners/Things'],
    edit('src/vault', 'page(mine(ownerId).select(', 'page(VaultEntry.query(database).select('),
    edit('src/sessions', ".whereIn('ownerId', listOf(owners)).findOne({ id })", '.findOne({ id })'),
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
    edit('src/owners', "  assertThat(places.has(ownerId), 'WORKSPACE_NOT_FOUND')\n", '  void places\n'),
    edit(
      'api/route',
      'if (needsTerms(route)) requireTerms(account)',
      "if (needsTerms(route) && route.method === 'get') requireTerms(account)",
    ),
    edit('api', 'services.users.loginList.end(caller, params.loginId)', 'void [services, caller, params]'),
    edit(
      'src/agents',
      "        if (standing && current.trigger !== 'webhook') requireFeature(standing, 'webhooks')\n",
      '',
    ),
    edit(
      'src/runs/accept',
      'assertThat((await depth(id)) === 0,',
      "assertThat((await depth(id)) === 0 || agent.trigger === 'webhook',",
    ),
    edit('src/runs/accept', 'onlyIfIdle: true', "onlyIfIdle: agent.trigger !== 'webhook'"),
    edit('src/webhooks', 'found === type ?', "found === type || found === 'boolean' ?"),
    edit(
      'src/runs/queue',
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
    edit('src/workspaces', '        await Member.query(trx).deleteById(member.id)\n', ''),
    edit('src/webhooks', "      requireFeature(standing, 'webhooks')\n", ''),
    edit(
      'src/owners',
      "assertThat(isOpen || whenClosed || action === 'see', 'WORKSPACE_REQUIRED'",
      "assertThat(isOpen || whenClosed || action, 'WORKSPACE_REQUIRED'",
    ),
    edit('api', "access: 'admin',\n  name: 'advanceClock'", "access: 'login',\n  name: 'advanceClock'"),
    edit(
      'src/webhooks',
      'const found = typeOf(members[name])',
      "const found = Number(members[name]) < 0 ? 'less' : typeOf(members[name])",
    ),
    edit('api/route', "if (!ctx.is('json', '+json'))", "if (!ctx.is('json', '+json', 'text/*'))"),
    edit(
      'src/runs/queue',
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
    edit('src/workspaces', "member.role !== 'owner' && role !== 'owner'", "member.role !== 'owner'"),
    edit('src/owners', "viewer: ['see'],", "viewer: ['see', 'use'],"),
    edit(
      'src/workspaces',
      "assertThat(member, 'MEMBER_NOT_FOUND')",
      "assertThat(member, (await trx('users').where({ id: userId }).first()) ? 'NOT_FOUND' : 'MEMBER_NOT_FOUND')",
    ),
    edit('src/chat', 'data: { error, code, statusCode, ...', 'data: { error, code, statusCode: statusCode + 1, ...'),
    edit(
      'api/schemas',
      '  ...(await runs.reading.answerOf(row)),\n',
      "  ...(await runs.reading.answerOf(row)),\n  ...(row.endedAt === null && { status: 'queued' }),\n",
    ),
  ),
]
