import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { beginAtZero } from './begin-at-zero.ts'
import { createCounters } from './counters.ts'
import { watchEventLoop } from './event-loop.ts'

/**
 * What this process has done since it started, for Prometheus. Counters are counted where a fact becomes true, after its
 * commit, by the process that committed it, so the sum over all processes is the record's number. Without METRICS_TOKEN
 * nobody can read them, and nothing is measured that costs.
 */
export function createMetrics({ config }: { config: Pick<Config, 'metrics'> }) {
  const registry = new Registry()
  const isOn = config.metrics.token !== undefined
  const counters = createCounters(registry)
  beginAtZero(counters)
  if (isOn) measureProcess(registry)
  return {
    ...counters,
    isOn,
    /** In the text format of Prometheus, version 0.0.4. */
    text: (): Promise<string> => registry.metrics(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** The media type of the texts. */
export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE

/** The usual metrics of a Node process, and the longest turn of its event loop. */
function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  const eventLoop = watchEventLoop()
  const lag: Gauge = new Gauge({
    name: 'switchyard_event_loop_lag_seconds',
    help: 'The longest time that a turn of the event loop was late since the last scrape.',
    registers: [],
    collect: () => lag.set(eventLoop.take().maxMs / 1000),
  })
  registry.registerMetric(lag)
}
