// @promise chat-approvals
import test from 'ava'
import { requiresApproval } from '../../../src/sessions/requires-approval.ts'
import type { Effect, Scope } from '../../../src/sites/tool.ts'

const effects: Effect[] = ['read', 'idempotent', 'once']
const scopes: Scope[] = ['read', 'write', 'delete', 'admin']
const all = effects.flatMap((effect) => scopes.map((scope) => ({ name: 'act', effect, scope })))

test('unless its session says otherwise, a tool asks first if it acts once, and deletes or administers', (t) => {
  const asking = all.filter((tool) => requiresApproval(tool, null)).map(({ effect, scope }) => `${effect} ${scope}`)
  t.deepEqual(asking, ['once delete', 'once admin'])
})

test('a session that names tools to ask about has exactly these asked about', (t) => {
  for (const tool of all) {
    t.true(requiresApproval(tool, ['other', 'act']))
    t.false(requiresApproval(tool, ['other']))
    t.false(requiresApproval(tool, []))
  }
})
