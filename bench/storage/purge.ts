import { openSide } from './side.ts'

const day = 86_400_000

/**
 * Measures the deletion of the oldest month: first the rows of its runs in the batches of the retention, round after
 * round, then the partitions of its timelines. The clock is set to the time when the month is old enough.
 */
export async function purgeOldestMonth(url: string, say: (text: string) => void): Promise<void> {
  const days = 90
  const first = await oldest(url)
  const before = new Date(first.getTime() + 30 * day)
  const now = () => new Date(before.getTime() + days * day)
  const { services } = await openSide('filled', url, { now }, days)
  const { database, retention } = services
  const count = async () => Number((await database.raw<Counted>(countStatement, { before })).rows[0].count)
  const isAnyLeft = async () => (await database.raw<{ rows: unknown[] }>(leftStatement, { before })).rows.length > 0
  const partitions = async () => Number((await database.raw<Counted>(partitionsStatement)).rows[0].count)
  const round = new AbortController().signal
  try {
    const [runs, existing] = [await count(), await partitions()]
    const began = performance.now()
    do await retention.purge(round)
    while (await isAnyLeft())
    const seconds = (performance.now() - began) / 1000
    const droppingSince = performance.now()
    for (let left = Infinity; (await partitions()) < left;) {
      left = await partitions()
      await retention.purgeTimelines(round)
    }
    const dropSeconds = (performance.now() - droppingSince) / 1000
    const rate = Math.round(runs / seconds)
    say(
      `${runs.toLocaleString('en')} rows of runs purged in ${seconds.toFixed(0)} s: ${rate.toLocaleString('en')} a second`,
    )
    const dropped = existing - (await partitions())
    say(`${dropped} partitions of their timelines dropped in ${dropSeconds.toFixed(2)} s`)
  } finally {
    await services.close()
  }
}

async function oldest(url: string): Promise<Date> {
  const { services } = await openSide('filled', url)
  const { rows } = await services.database.raw<{ rows: [{ first: Date }] }>(
    'select ended_at as first from runs where ended_at is not null order by ended_at limit 1',
  )
  await services.close()
  return rows[0].first
}

interface Counted {
  rows: [{ count: string }]
}

const countStatement = 'select count(*) from runs where ended_at < :before'
const leftStatement = 'select from runs where ended_at < :before limit 1'
const partitionsStatement = `select count(*) from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`
