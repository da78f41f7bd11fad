import test from 'ava'
import { startBody } from '../../console/screens/agents/start-input.ts'

for (const [text, body] of [
  ['', {}],
  ['  ', {}],
  ['{"issue":7}', { input: { issue: 7 } }],
  ['[1]', { input: '[1]' }],
  ['7', { input: '7' }],
  ['Look at {this}', { input: 'Look at {this}' }],
] as const)
  test(`the input ${JSON.stringify(text)} is sent as ${JSON.stringify(body)}`, (t) =>
    t.is(JSON.stringify(startBody(text)), JSON.stringify(body)))
