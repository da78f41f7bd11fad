import test from 'ava'
import { proofs } from '../../console/screens/agents/proofs.ts'
import { guideOf, hiddenSecret, overlaps } from '../../console/screens/agents/snippets.ts'
import { lateness } from '../../console/screens/agents/fire-words.ts'

for (const [proof, sender, values] of [
  ['secret', 'your program', ['url', 'secret']],
  ['standard-webhooks', 'your program', ['url', 'secret']],
  ['github', 'GitHub', ['url', 'secret']],
  ['gitlab', 'GitLab', ['url', 'secret']],
  ['stripe', 'Stripe', ['url', 'takes']],
  ['shopify', 'Shopify', ['url', 'takes']],
  ['slack', 'Slack', ['takes', 'url']],
] as const)
  test(`the steps for ${proof} name ${sender}, and exchange the address and the secret in the order that works`, (t) => {
    const guide = guideOf(proof)
    t.is(guide.sender, sender)
    t.deepEqual(
      guide.steps.flatMap(({ value, takes }) => value ?? (takes ? ['takes'] : [])),
      [...values],
    )
  })

test('each proof that can be chosen is listed once', (t) => {
  t.is(new Set(proofs.map(({ proof }) => proof)).size, 7)
  t.is(proofs.length, 7)
})

test('a hidden secret says nothing about the secret', (t) => t.regex(hiddenSecret, /^•+$/))

test('the secret before stays valid for a week at most', (t) =>
  t.is(Math.max(...overlaps.map(({ value }) => Number(value))), 604_800))

const at = '2026-11-27T12:00:00.000Z'
for (const [outcome, recordedAt, late] of [
  ['ran', '2026-11-27T12:00:59.999Z', undefined],
  ['ran', '2026-11-27T12:05:00.000Z', 300_000],
  ['missed', '2026-11-27T12:05:00.000Z', undefined],
] as const)
  test(`a scheduled time that ${outcome} and was recorded at ${recordedAt} is late by ${late}`, (t) =>
    t.is(lateness({ at, outcome, recordedAt }), late))
