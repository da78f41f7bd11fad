// @promise confirmed-effects
import test from 'ava'
import { confirmedTool, stillConfirmed, type ConfirmedEffects } from '../../../src/sites/confirmed-effects.ts'
import type { Effect, ManifestTool, ProposedEffect } from '../../../src/sites/tool.ts'

const tool = (more: Partial<ManifestTool> = {}): ManifestTool => ({
  name: 'get_it',
  description: 'Gets.',
  input_schema: { type: 'object' },
  ...more,
})

const rows: [proposed: ProposedEffect | undefined, confirmed: ProposedEffect | undefined, effect: Effect][] = [
  [undefined, undefined, 'once'],
  ['read', undefined, 'once'],
  ['idempotent', undefined, 'once'],
  ['read', 'read', 'read'],
  ['read', 'idempotent', 'idempotent'],
  ['idempotent', 'idempotent', 'idempotent'],
  ['idempotent', 'read', 'once'],
  [undefined, 'idempotent', 'once'],
]

test('an effect counts if the owner confirmed it and the site still proposes it, or one that is repeated more freely', (t) => {
  for (const [proposed, confirmed, effect] of rows) {
    const [listed, effects] = [tool({ proposed_effect: proposed }), confirmed ? { get_it: confirmed } : {}]
    const what = `${proposed} proposed, ${confirmed} confirmed`
    t.is(confirmedTool(listed, effects).effect, effect, what)
    t.deepEqual(stillConfirmed(effects, { tools: [listed] }), effect === 'once' ? {} : effects, what)
  }
})

test('what is confirmed of a tool that is gone is forgotten, and an inherited member confirms nothing', (t) => {
  const odd = tool({ name: 'constructor', proposed_effect: 'read' })
  t.is(confirmedTool(odd, {}).effect, 'once')
  const confirmed: ConfirmedEffects = Object.fromEntries([odd.name, 'get_it'].map((name) => [name, 'read']))
  t.deepEqual(Object.keys(stillConfirmed(confirmed, { tools: [odd] })), [odd.name])
})

test('a declared effect counts without a confirmation, whatever was confirmed', (t) => {
  t.is(confirmedTool(tool({ effect: 'idempotent' }), { get_it: 'read' }).effect, 'idempotent')
})
