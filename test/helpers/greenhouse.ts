import type { ExecutionContext } from 'ava'
import { startExample } from './example-program.ts'

/** The example site in Python. Needs python3. */
export async function startGreenhouse(t: ExecutionContext) {
  const { tokenOf, ...site } = await startExample(t, 'python3', 'examples/sites/greenhouse/greenhouse.py')
  return { ...site, gardener: await tokenOf('gardener'), visitor: await tokenOf('visitor') }
}
