import { mkdirSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { measured } from '../crash/record.ts'
import { seedOfRun } from '../money/seed.ts'
import type { Evidence } from './chaos/evidence.ts'
import { judge, type Verdict } from './chaos/judge.ts'
import type { Load } from './chaos/load.ts'
import { missedBy, plantedFaults } from './chaos/planted.ts'
import { tallyOf } from './chaos/storm.ts'
import { openWorld } from './chaos/world.ts'

/*
 * Everything that users do, over the cluster, while its processes are killed and frozen and its connections are cut, held,
 * delayed and reset. Then a minute of calm, and a judgement by the record and the logs of sites and processes. A run is
 * repeated, though not to the millisecond, with its seed: npm run long -- chaos -- -- --minutes=10 --seed=1
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 10)

test('a storm loses, reorders, doubles and leaks nothing', async (t) => {
  t.timeout((minutes + 30) * 60_000)
  const seed = seedOfRun()
  const began = Date.now()
  const say = (text: string) => process.stderr.write(`  ${Math.round((Date.now() - began) / 1000)} s: ${text}\n`)
  say(`seed ${seed}`)
  const world = await openWorld(t, seed, say)
  await world.play(minutes)
  const evidence = await world.evidence()
  const verdict = judge(evidence)
  const findings = Object.values(verdict).flat()
  keep(evidence, verdict)
  measured(t, `seed ${seed}, ${minutes} minutes: ${tallyOf(world.storm.blows)}`)
  measured(t, summaryOf(evidence, world.load))
  for (const [trouble, times] of world.load.troubles) measured(t, `sent again: ${times} × ${trouble}`)
  measured(
    t,
    Object.entries(verdict)
      .map(([name, found]) => `${found.length} ${name}`)
      .join(', '),
  )
  t.deepEqual(missedBy(evidence), [], 'the judge overlooks what was planted')
  measured(t, `planted in a copy of all that, and found: ${plantedFaults.join('; ')}`)
  t.deepEqual(findings.slice(0, 50), [], `seed ${seed}; all in .data/chaos-logs`)
})

function summaryOf({ runs, answers, calls, refreshes, lostGrants, arrivals }: Evidence, load: Load): string {
  return [
    `${load.receipts.length - load.manualRuns} deliveries, ${load.manualRuns} manual starts, ${load.refused} refused by a cap`,
    `${runs.length} runs: ${countsOf(runs)}`,
    `${load.messages.length} chat messages, ${answers.length} answers: ${countsOf(answers)}`,
    `${calls.length} calls: ${countsOf(calls)}; ${arrivals.length} requests at the sites`,
    `${refreshes.length} refreshes, ${lostGrants.length} of them cut off with the connection`,
    `${load.decided} approvals decided, ${load.directCalls} direct calls, ${load.purchases} purchases`,
  ].join('\n')
}

const countsOf = (items: { status: string; reason?: string | null; errorCode?: string | null }[]): string =>
  [...Map.groupBy(items, ({ status, reason, errorCode }) => [status, reason ?? errorCode].filter(Boolean).join(' '))]
    .map(([status, own]) => `${own.length} ${status}`)
    .join(', ')

/** Keeps the logs of a storm until the next one, and what the judge has read, without the secrets that it searched for. */
function keep({ logs, ...rest }: Evidence, verdict: Verdict): void {
  const folder = new URL('../../.data/chaos-logs/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of logs) writeFileSync(new URL(name, folder), text)
  writeFileSync(new URL('evidence.json', folder), JSON.stringify({ verdict, ...rest, secrets: undefined }, null, 1))
}
