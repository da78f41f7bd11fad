import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { measured } from '../crash/record.ts'
import { seedOfRun } from '../money/seed.ts'
import type { Evidence } from './chaos/evidence.ts'
import { judge, type Verdict } from './chaos/judge.ts'
import { missedBy, plantedFaults } from './chaos/planted.ts'
import { tallyOf } from './chaos/storm.ts'
import { summaryOf, untried } from './chaos/summary.ts'
import { openWorld } from './chaos/world.ts'

/*
 * Everything that users do, over the cluster, while its processes are killed and frozen and its connections are cut, held,
 * delayed and reset. Then a minute of calm, and a judgement by the record and the logs of sites and processes. A run is
 * repeated, though not to the millisecond, with its seed: npm run long -- chaos -- -- --minutes=10 --seed=1
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 10)

// @promise order once
test('a storm loses, reorders, doubles and leaks nothing', async (t) => {
  t.timeout((minutes + 30) * 60_000)
  const seed = seedOfRun()
  const began = Date.now()
  const say = (text: string) => process.stderr.write(`  ${Math.round((Date.now() - began) / 1000)} s: ${text}\n`)
  say(`seed ${seed}`)
  rmSync(folder, { recursive: true, force: true })
  const world = await openWorld(t, seed, say)
  // The record and the logs of a load that fails say why.
  const failure = await world.play(minutes).catch((error: Error) => error)
  keepLogs(await world.logs())
  const evidence = await world.evidence()
  const verdict = judge(evidence)
  keepEvidence(evidence, verdict)
  measured(t, `seed ${seed}, ${minutes} minutes: ${tallyOf(world.storm.blows)}`)
  for (const line of summaryOf(evidence, world.load)) measured(t, line)
  const found = Object.entries(verdict).map(([name, { length }]) => `${length} ${name}`)
  measured(t, found.join(', '))
  if (failure) throw failure
  t.deepEqual(missedBy(evidence), [], 'the judge overlooks what was planted')
  measured(t, `planted in a copy of all that, and found: ${plantedFaults.join('; ')}`)
  t.deepEqual(Object.values(verdict).flat().slice(0, 50), [], `seed ${seed}; all in .data/chaos-logs`)
  t.deepEqual(untried(evidence, world.load), [], `seed ${seed} left something out, so its zeros say little`)
})

/** Keeps what a storm has left until the next one. */
const folder = new URL('../../.data/chaos-logs/', import.meta.url)

function keepLogs(logs: Evidence['logs']): void {
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of logs) writeFileSync(new URL(name, folder), text)
}

/** Without the secrets that were searched for. */
function keepEvidence({ logs, secrets, ...rest }: Evidence, verdict: Verdict): void {
  const names = [logs, secrets].map((items) => items.map(({ name }) => name))
  writeFileSync(new URL('evidence.json', folder), JSON.stringify({ verdict, ...rest, names }, null, 1))
}
