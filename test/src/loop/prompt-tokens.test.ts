import test from 'ava'
import { bytesFor, excessOf, measuredBytesPerToken, tokensIn } from '../../../src/loop/prompt-tokens.ts'

test('a token has as many bytes as the provider has counted, within reason', (t) => {
  t.is(measuredBytesPerToken(300, 100), 3)
  t.is(measuredBytesPerToken(50, 100), 1)
  t.is(measuredBytesPerToken(1000, 100), 4)
  t.is(measuredBytesPerToken(3, 0), 3)
})

test('a tenth of the room is kept free, and where nothing was measured a token has three bytes', (t) => {
  t.is(bytesFor({ promptTokens: 1000 }, 2), 1800)
  t.is(bytesFor({ promptTokens: 1000 }, null), 2700)
  t.is(bytesFor({ promptTokens: 1 }, 2), 1)
  t.is(bytesFor({ promptTokens: 1000, promptBytes: 1000 }, null), 1000)
})

test('bytes are counted in whole tokens, rounded up', (t) => {
  t.is(tokensIn(10, 4), 3)
  t.is(tokensIn(10, null), 4)
})

test('a prompt is refused only if it is too long even with four bytes a token', (t) => {
  const window = { contextTokens: 150, promptTokens: 100 }
  t.is(excessOf(400, window, null), undefined)
  t.deepEqual(excessOf(401, window, null), { ...window, tokens: 134 })
  t.is(excessOf(200, window, 2), undefined)
  t.deepEqual(excessOf(201, window, 2), { ...window, tokens: 101 })
})
