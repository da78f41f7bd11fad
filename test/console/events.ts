import type { Api } from '../../console/api/client.ts'

type Event = Api['OutlinedEvent']

const began = Date.parse('2026-11-26T09:00:00.000Z')

/** Events of a run: each of these has its kind, its second, and its data. */
export const eventsOf = (...told: [kind: Event['kind'], second: number, data?: Event['data']][]): Event[] =>
  told.map(([kind, second, data = {}], index) => ({
    number: index + 1,
    kind,
    at: new Date(began + second * 1000).toISOString(),
    data,
  }))

/** Milliseconds of a second of these events. */
export const at = (second: number): number => began + second * 1000
