import { setTimeout as delay } from 'node:timers/promises'
import { Gauge, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { recordGauges, type RecordGauge } from './record-gauges.ts'

/** How long a reading is shared by scrapes, in milliseconds. */
const sharedMs = 5000

/** The most time of one query, and of a reading before its last query begins, in milliseconds. */
const queryMs = 1000
const readingMs = 4000

/** The most series of one gauge. */
const maxSeries = 100

/** Postgres returns numerics as text. */
type Series = Record<string, string> & { value: number | string | null }

/** The gauges about the record, read when somebody asks, and at most every five seconds. */
export function createRecordMetrics(
  context: { database: Database; logger: Logger; config: Pick<Config, 'canary'> },
  all = recordGauges,
) {
  const { database, logger, config } = context
  const gauges = all.filter(({ isOn }) => isOn?.(config) ?? true)
  let latest: { at: number; text: Promise<string> } | undefined

  const query = ({ query: statement }: RecordGauge) =>
    database.transaction(async (trx) => {
      await trx.raw(`set local statement_timeout = ${queryMs}`)
      const { rows } = await trx.raw<{ rows: Series[] }>(`select * from (${statement}) as series limit ${maxSeries}`)
      return rows
    })

  /** A gauge that cannot be read is absent, and `switchyard_record_up` is 0. */
  async function read(): Promise<string> {
    const registry = new Registry()
    const began = performance.now()
    let isComplete = true
    for (const gauge of gauges) {
      const isLate = performance.now() - began > readingMs
      const rows = isLate ? undefined : await query(gauge).catch((error: unknown) => noteFailure(gauge, error))
      if (rows) addTo(registry, gauge, rows)
      else isComplete = false
    }
    addTo(registry, up, [{ value: isComplete ? 1 : 0 } as Series])
    return registry.metrics()
  }

  /** Postgres may be cut off and silent. Prometheus gives up after ten seconds. */
  async function late(): Promise<string> {
    await delay(readingMs + queryMs, undefined, { ref: false })
    const registry = new Registry()
    addTo(registry, up, [{ value: 0 } as Series])
    return registry.metrics()
  }

  const noteFailure = ({ name }: RecordGauge, error: unknown): undefined =>
    logger.warn({ err: error, metric: name }, 'failed to read a metric from the record') as undefined

  return {
    /** In the text format of Prometheus. Never fails. */
    text(): Promise<string> {
      const now = performance.now()
      if (!latest || now - latest.at > sharedMs) latest = { at: now, text: Promise.race([read(), late()]) }
      return latest.text
    },
  }
}

const up = {
  name: 'switchyard_record_up',
  help: '1 if all metrics about the record could be read from Postgres, and otherwise 0. The others are absent.',
}

function addTo(registry: Registry, { name, help, labels = [] }: Omit<RecordGauge, 'query'>, rows: Series[]): void {
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] })
  if (labels.length === 0) gauge.remove()
  for (const row of rows) {
    const { value } = row
    if (value !== null) gauge.set(Object.fromEntries(labels.map((label) => [label, row[label] ?? ''])), Number(value))
  }
}
