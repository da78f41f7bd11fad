import type { Fault } from './fault.ts'

/** The log of who did what. */
export const audit: Fault[] = [
  {
    id: 'audit/after-the-change',
    file: 'api/route/audited.ts',
    find: '  const complete = await services.audit.begin(deed)\n  try {\n    const answer = await work()\n',
    replace: '  const answer = await work()\n  const complete = await services.audit.begin(deed)\n  try {\n',
    why: 'a change whose process is killed at once has no entry',
    tests: ['test/crash/audit.test.ts', 'test/api/audit.test.ts'],
  },
  {
    id: 'audit/secrets-noted',
    file: 'api/route/audited.ts',
    find: "    'name systemPrompt trigger",
    replace: "    'webhookSecret name systemPrompt trigger",
    why: 'whoever reads the log has the secret of an agent',
    tests: ['test/api/audit.test.ts'],
  },
  {
    id: 'audit/refused-kept',
    file: 'api/route/audited.ts',
    find: "await complete({ kind: isRefused ? 'refused' : 'unknown' })",
    replace: "await complete({ kind: isRefused ? 'unknown' : 'unknown' })",
    why: 'the log says of what was refused that it may have happened',
    tests: ['test/api/audit.test.ts'],
    match: 'what was refused*',
  },
  {
    id: 'audit/of-everybody',
    file: 'src/audit/audit.ts',
    find: 'pageOf({ ownerId }, emailOfMember, request)',
    replace: 'pageOf({}, emailOfMember, request)',
    why: 'everybody reads what all others did',
    tests: ['test/api/audit.test.ts'],
  },
  {
    id: 'audit/unread-stays',
    file: 'src/notifications/notifications.ts',
    find: "unreadOnes().where({ ownerId }).where('id', '<=', upTo)",
    replace: 'unreadOnes().where({ ownerId })',
    why: 'what came while somebody was reading is marked as read, and nobody sees it',
    tests: ['test/src/notifications/read.test.ts'],
  },
]
