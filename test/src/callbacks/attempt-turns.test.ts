import test, { type ExecutionContext } from 'ava'
import { createAttemptTurns } from '../../../src/callbacks/attempt-turns.ts'
import { createClaim, type Claimed } from '../../../src/callbacks/claim-callbacks.ts'
import { agentOf, person } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { cancel, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/** Nobody delivers on this platform. */
const platformFor = forWholeFile(test, 'turns of callbacks', (t) => startPlatform(t))

/** A free account with so many callbacks that are due, each at another domain, in their order. */
async function owing(platform: Platform, count: number, domain: (number: number) => string): Promise<string> {
  const { database } = platform.services
  const addresses = Array.from({ length: count }, (_, number) => `https://${domain(number)}/endings`)
  const someone = await person(platform)
  const agent = await agentOf(someone, { callbackUrl: 'https://receiver.example.com/' })
  const { id: runId } = (await start(someone, agent)).body
  await cancel(someone, runId)
  const { rows } = await database.raw<{ rows: { ownerId: string }[] }>(manyStatement, { runId, addresses })
  await database('callbacks').where({ runId }).delete()
  return rows[0]!.ownerId
}

/** As many ended runs like the given one, each with a callback that is due. */
const manyStatement = `
  with addresses as (select * from unnest(:addresses::text[]) with ordinality as t(url, number)),
  ended as (
    insert into runs select (jsonb_populate_record(run, jsonb_build_object('id', gen_random_uuid(), 'sequence', 1 + number))).*
      from runs run, addresses where run.id = :runId returning id, agent_id, owner_id, sequence)
  insert into callbacks (id, agent_id, owner_id, run_id, url, status, give_up_at, next_at, created_at)
  select gen_random_uuid(), agent_id, owner_id, ended.id, url, 'pending', now() + interval '1 day',
         timestamptz '2026-01-01' + number * interval '1 second', now()
    from ended join addresses on sequence = 1 + number
  returning owner_id as "ownerId"`

/** Begins attempts, none of which ends, until none may be begun. */
async function beginAll(turns: ReturnType<typeof createAttemptTurns>): Promise<Claimed[]> {
  const begun: Claimed[] = []
  for (let next = await turns.begin(); next; next = await turns.begin()) begun.push(next)
  return begun
}

const isOf = (ownerId: string) => (claimed: Claimed) => claimed.ownerId === ownerId

const openProcess = async (t: ExecutionContext) => {
  const platform = await platformFor()
  await platform.services.database.raw('truncate callbacks, callback_attempts')
  t.teardown(() => platform.services.database.raw('truncate callbacks, callback_attempts'))
  return { platform, turns: createAttemptTurns(createClaim(platform.services)) }
}

test.serial('an owner who has much to post gets half of the places, and another one the next attempt', async (t) => {
  const { platform, turns } = await openProcess(t)
  await owing(platform, 80, (number) => `tarpit-${number}.example`)
  t.is((await beginAll(turns)).length, 30)
  const other = await owing(platform, 3, (number) => `quick-${number}.example`)
  const begun = await beginAll(turns)
  t.deepEqual([...new Set(begun.map(({ ownerId }) => ownerId)), begun.length], [other, 3])
  for (const claimed of begun) turns.end(claimed)
  t.is(await turns.begin(), undefined, 'the first has its share')
})

test.serial('owners take turns, whatever has been due longest', async (t) => {
  const { platform, turns } = await openProcess(t)
  const owners: string[] = []
  for (let count = 0; count < 4; count += 1) {
    owners.push(await owing(platform, 20, (number) => `r${number}.owner-${count}.example`))
  }
  const begun = await beginAll(turns)
  t.true(begun.length <= 60)
  for (const owner of owners) t.is(begun.slice(0, 40).filter(isOf(owner)).length, 10)
  const first = begun.filter(isOf(owners[0]!)).map(({ host }) => host.slice(0, 2))
  t.deepEqual(first.slice(0, 4), ['r0', 'r1', 'r2', 'r3'], 'the longest due first')
})

test.serial('one owner has three attempts at a host at most', async (t) => {
  const { platform, turns } = await openProcess(t)
  await owing(platform, 15, (number) => (number < 10 ? 'slow.example' : 'quick.example:8443'))
  const begun = await beginAll(turns)
  const hosts = begun.map(({ host }) => host).toSorted()
  t.deepEqual(hosts, [...Array(3).fill('quick.example:8443'), ...Array(3).fill('slow.example')])
})

test.serial(
  'many hosts of a domain whose share is used up leave places for others, and do not hide them',
  async (t) => {
    const { platform, turns } = await openProcess(t)
    for (let count = 0; count < 8; count += 1) {
      await owing(platform, 120, (number) => `r${number}.o${count}.tarpit.co.uk${number % 2 === 0 ? '' : ':8443'}`)
    }
    const begun = await beginAll(turns)
    t.is(begun.length, 30)
    const other = await owing(platform, 1, () => 'quick.co.uk')
    t.is((await turns.begin())?.ownerId, other)
    turns.end(begun[0]!)
    t.regex((await turns.begin())?.host ?? '', /tarpit/)
  },
)
