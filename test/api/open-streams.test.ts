import test from 'ava'
import { createOpenStreams } from '../../api/streams/open-streams.ts'
import { CodedError, isCoded } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'
import { eventually } from '../helpers/eventually.ts'

function open(limit = 10) {
  const stopping = new AbortController()
  const streams = { pollMs: 10, keepAliveSeconds: 1, checkSeconds: 0.02, stallSeconds: 1, limit }
  const logger = createLogger('silent', 'test')
  return { stopping, ...createOpenStreams({ config: { streams }, logger, stopping: stopping.signal }) }
}

/** A stream whose caller is admitted unless the check throws, and how it was ended. */
function streamOf(key: string, admit: () => Promise<void>) {
  const ends: (CodedError | undefined)[] = []
  return { ends, stream: { key, admit, end: (cause?: CodedError) => void ends.push(cause) } }
}

test('a stream is ended when its caller may not have it any more, with the reason, and so are all that are alike', async (t) => {
  const { enter } = open()
  let checks = 0
  const refuse = () => Promise.reject(new CodedError('TOKEN_EXPIRED'))
  const admit = async () => void (checks += 1)
  const [one, alike, other] = [streamOf('a', refuse), streamOf('a', refuse), streamOf('b', admit)]
  for (const { stream } of [one, alike, other]) t.teardown(enter(stream))
  await eventually(5, 'both end', () => (one.ends[0] && alike.ends[0] ? true : undefined))
  t.true(isCoded(one.ends[0], 'TOKEN_EXPIRED'))
  await eventually(5, 'the other is checked again and again', () => (checks > 1 ? true : undefined))
  t.deepEqual(other.ends, [])
})

test('a stream goes on while it cannot be checked', async (t) => {
  const { enter } = open()
  let checks = 0
  const { ends, stream } = streamOf('a', () => {
    checks += 1
    return Promise.reject(checks % 2 === 0 ? new Error('the database is away') : new CodedError('INTERNAL_ERROR'))
  })
  t.teardown(enter(stream))
  await eventually(5, 'it is checked several times', () => (checks > 3 ? true : undefined))
  t.deepEqual(ends, [])
})

test('there are as many streams as are allowed, and all end with the process', (t) => {
  const { enter, stopping } = open(1)
  const { ends, stream } = streamOf('a', async () => undefined)
  const leave = enter(stream)
  t.true(
    isCoded(
      t.throws(() => enter(stream)),
      'RATE_LIMITED',
    ),
  )
  leave()
  t.teardown(enter(stream))
  stopping.abort()
  t.is(ends.length, 1)
})
