import test from 'ava'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { cases } from './cases.ts'
import { openSandbox } from './stages.ts'

const open = forWholeFile(test, 'sandbox', openSandbox)

for (const [title, check] of Object.entries(cases))
  test(`in the sandbox ${title}`, async (t) => check(t, (await open())()))
