import test from 'ava'
import { isForPrograms } from '../../console/parts/why-words.ts'

for (const [action, expected] of [
  ['To resume the agent, use POST /agents/1/resume (this loses nothing).', true],
  ['You do not need to do anything. The run continues automatically.', false],
  ['Ask an operator to start a worker.', false],
] as const)
  test(`“${action}” is ${expected ? '' : 'not '}for programs`, (t) => t.is(isForPrograms(action), expected))
