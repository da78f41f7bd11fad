import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { busyShare, restMs } from '../../../src/models/pace.ts'
import { boundedBytes } from '../../../src/models/providers/bounded-bytes.ts'

test.serial('a process with time to spare reads each piece of an answer at once', (t) => {
  for (const busy of [0, 0.3, 0.5]) t.is(restMs(100, { busy, ageMs: 60_000 }), 0, String(busy))
})

test.serial('a stream rests longer in a busier process, at most 0.4 seconds', (t) => {
  const rests = [0.6, 0.7, 0.8, 0.9].map((busy) => restMs(100, { busy, ageMs: 60_000 }))
  t.deepEqual(
    rests,
    rests.toSorted((one, other) => one - other),
  )
  t.true((rests[0] ?? 0) > 0)
  t.is(rests.at(-1), 400)
  t.is(restMs(100, { busy: 1, ageMs: 60_000 }), 400)
})

test.serial('a rest delays an answer by a tenth of its age at most, so first words come at once', (t) => {
  t.is(restMs(100, { busy: 1, ageMs: 0 }), 0)
  t.is(restMs(100, { busy: 1, ageMs: 1000 }), 100)
})

test.serial('a stream does not rest while more of it may have come than is kept', (t) => {
  t.is(restMs(32 * 1024, { busy: 1, ageMs: 60_000 }), 0)
  t.true(restMs(32 * 1024 - 1, { busy: 1, ageMs: 60_000 }) > 0)
})

test.serial('how busy the process is follows from its event loop', async (t) => {
  const stop = keepBusy()
  busyShare()
  await delay(300)
  t.true(busyShare() > 0.8)
  stop()
  await delay(300)
  busyShare()
  await delay(300)
  t.true(busyShare() < 0.5)
})

test.serial('a busy process reads an answer in fewer and longer pieces, and all of it', async (t) => {
  const [pieces, everyMs] = [300, 10]
  const server = createServer((_, response) => {
    Readable.from(
      (async function* () {
        for (let number = 0; number < pieces; number++) yield delay(everyMs, `${number},`)
      })(),
    ).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  t.teardown(keepBusy())
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const texts: string[] = []
  for await (const bytes of boundedBytes(answer)) texts.push(Buffer.from(bytes).toString())
  t.is(texts.join(''), Array.from({ length: pieces }, (_, number) => `${number},`).join(''))
  t.true(texts.length < pieces / 4, `${texts.length} pieces`)
})

/** Never waits, so how busy the process is does not depend on how busy its machine is. */
function keepBusy(): () => void {
  let stopped = false
  const work = () => {
    const until = performance.now() + 9
    while (performance.now() < until);
    if (!stopped) setImmediate(work)
  }
  work()
  return () => {
    stopped = true
  }
}
