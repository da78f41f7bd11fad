import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { releaseLock, takeLock, underLock } from '../../../bin/local/lock.ts'
import { markOf } from '../../../bin/local/process-identity.ts'
import { ownFolder } from '../../helpers/servers.ts'

const lockFile = () => join(ownFolder(), 'lock')

test('a lock that a running process holds is refused and names it', (t) => {
  const file = lockFile()
  t.is(takeLock(file), undefined)
  t.is(takeLock(file)?.pid, process.pid)
  releaseLock(file)
  t.is(takeLock(file), undefined)
})

test('a lock whose holder has died is taken over', async (t) => {
  const file = lockFile()
  const child = spawn('sleep', ['60'])
  await once(child, 'spawn')
  writeFileSync(file, JSON.stringify(markOf(child.pid!)))
  t.is(takeLock(file)?.pid, child.pid)
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.is(takeLock(file), undefined)
  const other = lockFile()
  writeFileSync(other, JSON.stringify({ pid: process.pid, started: 'long ago' }))
  t.is(takeLock(other), undefined, 'although another process has its number now')
})

test('who waits for a lock is told once and gets it when it is released', async (t) => {
  const file = lockFile()
  takeLock(file)
  const told: number[] = []
  const result = underLock(
    file,
    ({ pid }) => {
      told.push(pid)
      releaseLock(file)
    },
    () => Promise.resolve('done'),
  )
  t.is(await result, 'done')
  t.deepEqual(told, [process.pid])
})
