import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { Registry } from 'prom-client'
import { beginAtZero } from '../../src/metrics/begin-at-zero.ts'
import { createCounters } from '../../src/metrics/counters.ts'
import { recordGauges } from '../../src/metrics/record-gauges.ts'
import { testWith } from '../helpers/programs.ts'
import { promtool } from '../helpers/promtool.ts'
import { ownFolder } from '../helpers/servers.ts'
import { alertRules, panels, queriesOver, type Panel } from './shipped.ts'

const counters = new Registry()
beginAtZero(createCounters(counters))

/** Gauges of a process, which are not in the list of those about the record, nor counted. */
const ofTheProcess = ['switchyard_event_loop_lag_seconds', 'switchyard_record_up', 'switchyard_temporal_metrics_up']

const declared = [
  ...counters.getMetricsAsArray().map(({ name }) => name),
  ...recordGauges.map(({ name }) => name),
  ...ofTheProcess,
]

/** Our metrics that a query names, without the suffixes of histograms. */
const namesIn = (expr: string): string[] =>
  (expr.match(/\bswitchyard_\w+/g) ?? []).map((name) => name.replace(/_(bucket|sum|count)$/, ''))

test('alerts and dashboard use metrics that exist, and the dashboard shows every metric', (t) => {
  const shown = new Set(queriesOver('1m').flatMap(({ expr }) => namesIn(expr)))
  const alarming = alertRules.flatMap(({ expr }) => namesIn(expr))
  const unknown = [...shown, ...alarming].filter((name) => !declared.includes(name))
  t.deepEqual(unknown, [])
  t.deepEqual(
    declared.filter((name) => !shown.has(name)),
    ['switchyard_record_up', 'switchyard_temporal_metrics_up'],
  )
})

test('a counter that an alert wants to see grow is there from the start of a process, at zero', async (t) => {
  const series = (await counters.metrics()).split('\n')
  const watched = alertRules.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)(?:\{(\w+)=~?"([^"]*)"\})?\[/g)])
  t.true(watched.length > 8)
  for (const [selector, name, label, values = ''] of watched) {
    // Each refusal has a code of its own, and the alert is about many.
    for (const value of values === '[A-Z_]+' ? ['WEBHOOK_SECRET_INVALID'] : values.split('|')) {
      const isThere = series.some(
        (line) => line.startsWith(name ?? '') && line.includes(label ? `${label}="${value}"` : ''),
      )
      t.true(isThere, `${selector} ${value}`)
    }
  }
})

test('the dashboard has a row for each part of the way of a delivery, and no panel hides another', (t) => {
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  t.deepEqual(rows, ['Accept', 'Queue', 'Run', 'Outside', 'Money', 'Engine'])
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(cellsOf)
  t.is(new Set(cells).size, cells.length)
  t.deepEqual(
    panels.map(({ gridPos }) => gridPos.y),
    panels.map(({ gridPos }) => gridPos.y).toSorted((one, other) => one - other),
  )
})

const cellsOf = ({ gridPos: { x, y, w, h } }: Panel): string[] =>
  Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`)

testWith('promtool')('every query of the dashboard is PromQL', async (t) => {
  const rules = queriesOver('1m').map(({ expr }, index) => ({ record: `query_${index}`, expr }))
  const file = join(ownFolder(), 'queries.yaml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  t.true(rules.length > 50)
  await t.notThrowsAsync(promtool(['check', 'rules', file]))
})

testWith('promtool')('promtool finds nothing to improve in the names and texts of our counters', async (t) => {
  const input = await counters.metrics()
  await t.notThrowsAsync(promtool(['check', 'metrics'], input))
})
