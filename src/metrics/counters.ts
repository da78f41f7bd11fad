import { Counter, type Registry } from 'prom-client'

/** The counters and histograms of a process. No label has a value that a stranger can choose freely. */
export function createCounters(registry: Registry) {
  const registers = [registry]
  return {
    deliveries: new Counter({
      name: 'switchyard_deliveries_total',
      help: 'Webhook deliveries with a valid proof, by result: accepted, repeated, or the code of the refusal.',
      labelNames: ['result'],
      registers,
    }),
  }
}
