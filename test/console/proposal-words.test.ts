import test from 'ava'
import { hasProposal, openProposals } from '../../console/screens/sites/proposal-words.ts'

const tools = [
  { name: 'declared', effect: 'read' },
  { name: 'unconfirmed', effect: 'once', proposedEffect: 'read' },
  { name: 'confirmed', effect: 'read', proposedEffect: 'read' },
  { name: 'partly confirmed', effect: 'idempotent', proposedEffect: 'read' },
  { name: 'repeatable', effect: 'once', proposedEffect: 'idempotent' },
] as const

test('what can be confirmed are the proposals that allow more than the effects that count', (t) => {
  t.deepEqual(openProposals(tools), [
    { name: 'unconfirmed', effect: 'read' },
    { name: 'partly confirmed', effect: 'read' },
    { name: 'repeatable', effect: 'idempotent' },
  ])
  t.deepEqual(tools.map(hasProposal), [false, true, false, true, true])
})
