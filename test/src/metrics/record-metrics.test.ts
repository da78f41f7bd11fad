import test from 'ava'
import { newId } from '../../../src/ids.ts'
import type { RecordGauge } from '../../../src/metrics/record-gauges.ts'
import { createRecordMetrics } from '../../../src/metrics/record-metrics.ts'
import { seriesIn } from '../../helpers/metrics-text.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const open = sharedPlatform(test, 'idle')

const gauge = (name: string, query: string, labels: string[] = []): RecordGauge => ({ name, help: 'h', labels, query })

test('every gauge about the record has a value on a new installation, read without a failure', async (t) => {
  const { services } = await open()
  // An attempt of the time before the canary was turned off.
  const attempt = { id: newId(), sentAt: new Date(), patienceSeconds: 90 }
  await services.database('canary_attempts').insert(attempt)
  const series = seriesIn(await createRecordMetrics(services).text())
  t.is(series['switchyard_canary_up'], undefined)
  t.is(series['switchyard_record_up'], 1)
  t.is(series['switchyard_waiting{cause="rate_limit"}'], 0)
  for (const name of ['workers', 'queue_oldest_seconds', 'due_agents_oldest_seconds', 'hosts_held'])
    t.is(typeof series[`switchyard_${name}`], 'number', name)
  t.true((series['switchyard_database_connections'] ?? 0) > 0)
})

test('a gauge that fails, takes longer than a second or is off is absent, and the others are there', async (t) => {
  const { services } = await open()
  const began = performance.now()
  const text = await createRecordMetrics(services, [
    gauge('slow', 'select 1 as value from pg_sleep(20)'),
    gauge('wrong', 'select 1 as value from no_such_table'),
    gauge('empty', 'select null::int as value'),
    { ...gauge('off', 'select 1 as value'), isOn: () => false },
    gauge('two', `select 2 as value, 'x"y' as word`, ['word']),
  ]).text()
  t.deepEqual(seriesIn(text), { 'two{word="x\\"y"}': 2, switchyard_record_up: 0 })
  t.true(performance.now() - began < 15_000)
})

test('scrapes within five seconds share one reading, and a gauge has at most a hundred series', async (t) => {
  const { services } = await open()
  const metrics = createRecordMetrics(services, [
    gauge('random', 'select random() as value'),
    gauge('many', 'select i as value, i::text as word from generate_series(1, 1000) as t (i)', ['word']),
  ])
  const [one, other] = await Promise.all([metrics.text(), metrics.text()])
  t.is(one, other)
  t.is(Object.keys(seriesIn(one)).filter((name) => name.startsWith('many')).length, 100)
})
