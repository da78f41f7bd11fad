import test from 'ava'
import type { Manifest } from '../../../src/sites/manifest.ts'
import { proposalProblem } from '../../../src/tools/host-proposals.ts'

const rows: [limits: unknown, isIgnored: boolean][] = [
  [undefined, false],
  [{}, false],
  [{ calls_per_minute: 1 }, false],
  [{ calls_per_minute: 6000 }, false],
  [{ calls_per_minute: 0 }, true],
  [{ calls_per_minute: 100_000 }, true],
  [{ calls_per_minute: 1.5 }, true],
  [{ calls_per_minute: '120' }, true],
  [[], true],
  [null, true],
  ['120', true],
]
test('limits in a manifest that cannot be heeded are told as ignored', (t) => {
  const site = { name: 'A site', version: '1', description: 'A site.', server: { url: 'https://site.example' } }
  for (const [limits, isIgnored] of rows) {
    const manifest: Manifest = { ...site, auth: { type: 'bearer' }, tools: [], limits }
    t.is(proposalProblem(manifest) !== undefined, isIgnored, JSON.stringify(limits))
  }
})
