import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { createWatches } from '../../../src/loop/watches.ts'

const logger = createLogger('silent', 'test')
const never = new AbortController().signal

/** Watches of numbers that are looked at each ten milliseconds. */
function watching(look: (watched: { value: number }[]) => Promise<void> = async () => {}) {
  return createWatches<{ value: number }>({ logger, everyMs: 10, look, failure: 'failed to look' })
}

test('what changes between two waits is not missed, and several changes are one', async (t) => {
  const watches = watching()
  const { changed, close } = watches.watch('one', () => ({ value: 1 }))
  watches.wake('one')
  watches.wake('one')
  await changed(never)
  const next = changed(never).then(() => 'changed')
  t.is(await Promise.race([next, Promise.resolve('waits')]), 'waits')
  watches.wake('another')
  watches.wake('one')
  t.is(await next, 'changed')
  close()
})

test('all who watch one thing share what is known of it and are woken, until the last of them leaves', async (t) => {
  const watches = watching()
  const first = watches.watch('one', () => ({ value: 1 }))
  const second = watches.watch('one', () => ({ value: 2 }))
  t.is(second.known, first.known)
  const woken = Promise.all([first.changed(never), second.changed(never)])
  watches.wake('one')
  await woken
  first.close()
  t.deepEqual(watches.known(), [{ value: 1 }])
  second.close()
  t.deepEqual(watches.known(), [])
  const later = watches.watch('one', () => ({ value: 3 }))
  t.is(later.known.value, 3)
  later.close()
})

test('looks see all that is watched, go on after one has failed, and end with the last watcher', async (t) => {
  let looks = 0
  const watches = watching(async ([one]) => {
    looks += 1
    if (looks === 1) throw new Error('the database is away')
    if (one) one.value += 1
    watches.wake('one')
  })
  const { known, changed, close } = watches.watch('one', () => ({ value: 0 }))
  await changed(never)
  t.is(known.value, 1)
  close()
  await watches.stop()
  t.true(looks >= 2)
})

test('who gives up has its own reason, also before the wait begins', async (t) => {
  const watches = watching()
  const { changed, close } = watches.watch('one', () => ({ value: 1 }))
  const reason = new Error('the reader has left')
  const leaving = new AbortController()
  const waiting = t.throwsAsync(changed(leaving.signal))
  leaving.abort(reason)
  t.is(await waiting, reason)
  t.is(await t.throwsAsync(changed(leaving.signal)), reason)
  close()
})

test('once the process stops, everybody is woken, and nothing is looked at', async (t) => {
  let looks = 0
  const watches = watching(async () => void (looks += 1))
  const { changed } = watches.watch('one', () => ({ value: 1 }))
  const woken = changed(never)
  await watches.stop()
  await woken
  t.true(watches.stopping.aborted)
  const before = looks
  watches.watch('two', () => ({ value: 2 }))
  await watches.stop()
  t.is(looks, before)
})
