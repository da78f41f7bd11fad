import type { Api } from '../api/client.ts'
import { countInWords } from '../parts/format.ts'

type Request = Api['ReplayDeliveriesRequest']
export type ReplayFilter = Pick<Request, 'reason' | 'endedSince' | 'endedUntil'>

/** What a replay has done so far. */
export interface Replays {
  count: number
  /** Why it stopped early, as a sentence. */
  stopped: string | undefined
  more: boolean
}

/** Replays failed deliveries, part by part. A reader stops it by reading no further. */
export async function* replayed(
  filter: Request,
  send: (body: Request) => Promise<Api['BulkReplay']>,
): AsyncGenerator<Replays, void> {
  let count = 0
  let body: Request | undefined = filter
  while (body) {
    const { replays, next, stopped }: Api['BulkReplay'] = await send(body)
    count += replays
    body = next && !stopped ? { ...filter, ...next } : undefined
    yield { count, stopped: stopped?.error, more: next !== null }
  }
}

const deliveries = (count: number): string => countInWords(count, 'delivery', 'deliveries')

export const replaysInWords = (replays: Pick<Replays, 'count'> | undefined): string =>
  `${deliveries(replays?.count ?? 0)} replayed.`

/** What a preview found. It looks at a part of the runs, and a replay at all. */
export const previewInWords = ({ replays, next }: Pick<Api['BulkReplay'], 'replays' | 'next'>): string => {
  const count = next === null ? deliveries(replays) : `At least ${deliveries(replays)}`
  return replays === 0 && next === null ? 'There are no deliveries to replay.' : `${count} will be replayed.`
}

const reasons = {
  replayed: 'already replayed',
  onceCalls: 'with a once call that may have succeeded',
  schema: 'whose payload does not match the current webhook schema',
  purged: 'whose run or payload is no longer stored',
} as const satisfies Record<keyof Api['LeftOut'], string>

/** Why deliveries are left out, with their numbers. */
export const leftOutInWords = (leftOut: Api['LeftOut']): string[] =>
  (Object.keys(reasons) as (keyof typeof reasons)[])
    .filter((name) => leftOut[name] > 0)
    .map((name) => `${deliveries(leftOut[name])} ${reasons[name]}`)
