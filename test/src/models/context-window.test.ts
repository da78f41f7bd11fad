import test from 'ava'
import { windowOf } from '../../../src/models/context-window.ts'

test('what the answer may take is kept free in the window; a third of it if its length is left to the provider', (t) => {
  t.like(windowOf(400_000, 128_000), { contextTokens: 400_000, promptTokens: 272_000 })
  t.like(windowOf(30_000, null), { contextTokens: 30_000, promptTokens: 20_000 })
})

test('however long an answer may be, half of the window is left for the prompt', (t) => {
  for (const longest of [20_000, 31_999, 32_000, 10_000_000])
    t.is(windowOf(32_000, longest).promptTokens, 16_000, String(longest))
  t.is(windowOf(1001, 1001).promptTokens, 501)
})
