import { Gauge, Registry } from 'prom-client'
import { readBounded } from '../safe-fetch/bounded-body.ts'

/** How long Temporal's core may take to answer, in milliseconds, and how much is read of it, in bytes. */
const answerMs = 2000
const mostBytes = 4 * 1024 * 1024

/**
 * The metrics that Temporal's core serves in this process, under its own names. If they cannot be fetched,
 * `switchyard_temporal_metrics_up` is 0, and the others are absent.
 */
export async function readTemporalMetrics(address: string): Promise<string> {
  const text = await fetchText(`http://${address}/metrics`).catch(() => undefined)
  const registry = new Registry()
  new Gauge({
    name: 'switchyard_temporal_metrics_up',
    help: "1 if the metrics of Temporal's core could be fetched, and otherwise 0.",
    registers: [registry],
  }).set(text === undefined ? 0 : 1)
  return [await registry.metrics(), text ?? ''].join('\n')
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) })
  const bytes = response.ok ? await readBounded(response, mostBytes) : undefined
  if (!bytes) throw new Error("Temporal's core has no metrics, or too many")
  return Buffer.from(bytes).toString('utf8')
}
