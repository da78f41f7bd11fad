// @promise at-once
import test from 'ava'
import { openStage } from '../crash/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { progressOf } from '../helpers/progress.ts'
import type { Kind } from '../judged/account-changes.ts'
import { createBook, now, type Group } from '../judged/book.ts'
import { keepChanging } from '../judged/changer.ts'
import { makeGroup } from '../judged/groups.ts'
import { contradictions, inForce, misjudged, type Recorded, type Sent } from '../judged/judgements.ts'
import { deliverAll } from '../judged/senders.ts'
import { chance } from '../money/chance.ts'
import { seedOfRun } from '../money/seed.ts'

/*
 * 128 connections deliver while everything that deliveries are judged by changes: npm run long -- judged, with
 * `-- --minutes=2` after it for another length, and `--seed=N` for similar choices
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 4)
/** In the full length, it takes as long as these changes take. */
const leastChanges = minutes < 4 ? 50 : 300
const kindsOfGroups: Kind[] = [
  'given',
  'given',
  'given',
  'bought',
  'bought',
  'bought',
  'bought',
  'renewed',
  'renewed',
  'renewed',
]

const env = {
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000000',
  QUEUE_DEPTH: '1000000',
}

const inWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => `${times} × ${what}`)
    .join(', ')

const countedBy = (deliveries: readonly Sent[]): Map<string, number> =>
  new Map([...Map.groupBy(deliveries, ({ outcome }) => outcome)].map(([outcome, those]) => [outcome, those.length]))

const recordStatement = `
  select r.id, r.agent_id as "agentId", r.owner_id as "ownerId", r.sequence, k.key
    from runs r left join idempotency_keys k on k.run_id = r.id and k.key like 'delivery-%'
   where r.trigger = 'webhook'`

test('while everything changes, no delivery is judged by a state that had ended before it arrived', async (t) => {
  t.timeout((minutes + 15) * 60_000)
  const seed = seedOfRun()
  t.log(`seed ${seed}`)
  const random = chance(seed)
  const stage = await openStage(t, { env })
  const { platform } = stage
  const { database } = platform.services
  const { url } = await stage.startApi()
  await stage.startWorker()
  const boss = { ...(await adminOf(platform)), url }
  const book = createBook()
  const groups: Group[] = []
  for (const kind of kindsOfGroups) groups.push(await makeGroup({ platform, url, boss, book }, kind))
  book.startCounting()
  const begun = now()

  const end = now() + minutes * 60_000
  const failure = new AbortController()
  const isOver = () => failure.signal.aborted || (now() >= end && book.changes() >= leastChanges)
  const onDone = progressOf('deliveries', undefined, 5000)
  const sending = deliverAll({ url, groups, random, connections: 128, isOver, onDone })
  const changing = groups.map((group, index) =>
    keepChanging({ platform, boss, book, random, isOver }, group, kindsOfGroups[index] as Kind),
  )
  const all = Promise.all([sending, ...changing])
  all.catch(() => failure.abort())
  const [deliveries] = await all
  const seconds = Math.round((now() - begun) / 1000)

  const { rows } = await database.raw<{ rows: Recorded[] }>(recordStatement)
  const owners = new Map(rows.map(({ id, ownerId }) => [id, ownerId]))
  const wrong = misjudged(deliveries, book.states, owners)
  const problems = contradictions(deliveries, rows)
  const raced = deliveries.filter((sent) => inForce(book.states.get(sent.agentId) ?? [], sent).length > 1)
  t.log(
    `${deliveries.length} deliveries in ${seconds} s, ${raced.length} of them during a change: ${inWords(countedBy(deliveries))}`,
  )
  t.log(`${book.changes()} changes: ${inWords(book.tally)}`)
  t.log(`${wrong.length} misjudged, ${problems.length} contradictions in the record`)
  t.deepEqual([...wrong, ...problems].slice(0, 20), [], `seed ${seed}`)
})
