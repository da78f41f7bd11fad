import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { Client, Connection, type CalendarSpec } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import * as fc from 'fast-check'
import { toCalendars } from '../../../../src/schedules/cron/calendars.ts'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween, isFire } from '../../../../src/schedules/cron/fire-times.ts'
import { temporalAddress } from '../../../helpers/temporal.ts'
import { comes } from './clocks.ts'
import { expressions, nightly } from './random-expressions.ts'

/** Temporal lists no more times than this in one answer. */
const mostListed = 1000

type Window = [from: string, to: string]

/** Both changes of Berlin and of New York in two years, and 29 February. */
const windows: Window[] = [
  ['2026-10-24T00:00Z', '2026-10-26T00:00Z'],
  ['2026-10-31T00:00Z', '2026-11-02T00:00Z'],
  ['2027-03-13T00:00Z', '2027-03-15T00:00Z'],
  ['2027-03-27T00:00Z', '2027-03-29T00:00Z'],
  ['2028-02-27T00:00Z', '2028-03-03T00:00Z'],
]

const toDates = ([from, to]: Window): [Date, Date] => [new Date(from), new Date(to)]

const iso = (times: Date[]): string[] => times.map((time) => time.toISOString().slice(0, 19))

function open(t: ExecutionContext): { connection: Connection; client: Client } {
  const connection = Connection.lazy({ address: temporalAddress() })
  t.teardown(() => connection.close())
  return { connection, client: new Client({ connection }) }
}

/** What the server says when a schedule of these calendars fires; asked again where one answer does not hold it all. */
async function listed(
  { connection, client }: { connection: Connection; client: Client },
  spec: { calendars: CalendarSpec[]; timezone: string },
  wanted: [Date, Date][],
): Promise<Date[][]> {
  const scheduleId = `calendars-${randomUUID()}`
  const handle = await client.schedule.create({
    scheduleId,
    spec,
    action: { type: 'startWorkflow', workflowType: 'none', taskQueue: scheduleId },
    state: { paused: true },
  })
  try {
    return await Promise.all(wanted.map(async ([from, to]) => listedBetween(connection, scheduleId, from, to)))
  } finally {
    await handle.delete()
  }
}

async function listedBetween(connection: Connection, scheduleId: string, from: Date, to: Date): Promise<Date[]> {
  const times: Date[] = []
  let after = from
  for (;;) {
    const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
      namespace: 'default',
      scheduleId,
      startTime: msToTs(after.getTime()),
      endTime: msToTs(to.getTime()),
    })
    times.push(...startTime.map(({ seconds, nanos }) => new Date(Number(seconds) * 1000 + (nanos ?? 0) / 1e6)))
    if (startTime.length < mostListed) return times
    after = times.at(-1) ?? to
  }
}

const written: [string, string][] = [
  ['* * * * *', 'Europe/Berlin'],
  ['30 2 * * *', 'Europe/Berlin'],
  ['*/20 0-3 * * sun', 'Europe/Berlin'],
  ['* * * * *', 'America/New_York'],
  ['30 2 * * *', 'America/New_York'],
  ['*/20 0-3 1,14 * 6', 'America/New_York'],
  ['30 23 29 2 *', 'America/New_York'],
  ['45 23 29 2 1', 'Asia/Kathmandu'],
]

test('the server fires at every fire and at no other time that passes for one: changes of clocks, 29 February, anything', async (t) => {
  const server = open(t)
  const random = fc.sample(
    fc.tuple(fc.oneof(expressions, nightly).filter(comes), fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York')),
    {
      numRuns: 4,
      seed: 20_261_025,
    },
  )
  const counts = await Promise.all(
    [...written, ...random].map(async ([text, timeZone]) => {
      const cron = parseCron(text)
      const spec = { calendars: toCalendars(cron, timeZone), timezone: 'UTC' }
      const answers = await listed(server, spec, windows.map(toDates))
      return windows.map((window, index) => {
        const ours = firesBetween(cron, timeZone, ...toDates(window), 100_000)
        const theirs = (answers[index] ?? []).filter((time) => isFire(cron, timeZone, time))
        t.deepEqual(iso(theirs), iso(ours), `${text} in ${timeZone} from ${window[0]}`)
        return ours.length
      })
    }),
  )
  const fires = counts.flat().reduce((sum, count) => sum + count, 0)
  t.true(fires > 20_000, String(fires))
})
