import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { testWith } from '../helpers/programs.ts'
import { promtool } from '../helpers/promtool.ts'
import { ownFolder } from '../helpers/servers.ts'
import { alertCases, good, type AlertCase } from './alert-cases.ts'
import { alertRules, rulesFile, sampleFile } from './shipped.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operate/at-3-am.md'), 'utf8')

test('every alert has a case here, says what it means, and is named on the page that says what to do', (t) => {
  t.deepEqual(Object.keys(alertCases).toSorted(), alertRules.map(({ alert }) => alert).toSorted())
  const named = [...page.matchAll(/`(Switchyard\w+)`/g)].map(([, name = '']) => name)
  t.deepEqual(
    [...new Set(named)].toSorted((a, b) => a.localeCompare(b)),
    alertRules.map(({ alert }) => alert).toSorted((a, b) => a.localeCompare(b)),
  )
  for (const { alert, labels, annotations } of alertRules) {
    t.true(['page', 'ticket'].includes(labels['severity'] ?? ''), alert)
    t.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook'], alert)
    t.is(annotations['runbook'], 'docs/operate/at-3-am.md')
  }
})

testWith('promtool')('promtool accepts the rules and the sample configuration', async (t) => {
  await t.notThrowsAsync(promtool(['check', 'rules', rulesFile]))
  await t.notThrowsAsync(promtool(['check', 'config', '--syntax-only', sampleFile]))
})

testWith('promtool')('each alert fires when it should, and alone; not before, nor just within its limit', async (t) => {
  for (const every of ['15s', '5m']) {
    const cases = Object.entries(alertCases).filter(([, one]) => (one.every ?? '15s') === every)
    const tests = cases.flatMap(([alert, one]) => testsOf(alert, one))
    await t.notThrowsAsync(run(every, tests))
  }
})

testWith('promtool')('an alert that fires unexpectedly is noticed', async (t) => {
  const { fires, series } = alertCases['SwitchyardNoWorkers'] as AlertCase
  await t.throwsAsync(run('15s', [promtoolTest('a wrong case', series, [[fires, []]])]), {
    message: /got: .*"SwitchyardNoWorkers"/,
  })
})

function testsOf(alert: string, one: AlertCase) {
  const { series, fires, notYet, quiet, alsoFires = [], alsoQuiet = [], together = [] } = one
  const before = notYet === undefined ? [] : [quietAt(notYet)]
  const loud = [series, ...alsoFires].map((each) =>
    promtoolTest(`${alert} fires`, each, [...before, [fires, [alert, ...together]]]),
  )
  return [...loud, ...[quiet, ...alsoQuiet].map((each) => promtoolTest(`${alert} is quiet`, each, [[fires, together]]))]
}

/** A time from the start, and all alerts that are firing then. */
type Moment = [at: string, firing: string[]]

const quietAt = (at: string): Moment => [at, []]

const promtoolTest = (name: string, series: Record<string, string>, moments: Moment[]) => ({
  name,
  input_series: Object.entries({ ...good, ...series }).map(([one, values]) => ({ series: one, values })),
  promql_expr_test: moments.map(([at, firing]) => ({
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: at,
    exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
  })),
})

/** promtool reads JSON, which is YAML. */
function run(interval: string, tests: object[]): PromiseLike<unknown> {
  const file = join(ownFolder(), 'tests.yaml')
  const timed = tests.map((one) => ({ ...one, interval }))
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests: timed }))
  return promtool(['test', 'rules', file])
}
