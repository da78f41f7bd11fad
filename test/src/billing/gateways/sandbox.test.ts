import test from 'ava'
import { cases } from './cases.ts'
import { sandboxStage } from './stages.ts'

for (const [title, check] of Object.entries(cases))
  test(`in the sandbox ${title}`, async (t) => check(t, await sandboxStage(t)))
